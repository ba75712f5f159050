import { readFileSync } from 'node:fs';
import { answersTo, type Question } from './kernel-answers.js';

const question = JSON.parse(readFileSync(0, 'utf8')) as Question;
process.stdout.write(JSON.stringify(await answersTo(question)));
