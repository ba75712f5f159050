import { parseArgs } from 'node:util';
import { measureCalls, measureReferenceAddress, type CallCost } from './request-calls.js';
import { measureLatency } from './request-events.js';
import { measureRefresh } from './request-refresh.js';
import type { PaymentKind } from './kept-paid-chain.js';
import { printTable } from './table.js';

/*
 * Cost of payment requests, beside the same wallet without requests, and beside the calls of the reference that a shop
 * polls. The wallet of the refresh has a request to each address, and is paid while it is closed.
 * usage: payment-requests [--only create,read,event,refresh] [--requests 100000] [--few 1000] [--payments 50000]
 *   [--rounds 30] [--refreshes 5] [--only-ours] [--keep DIR] [--profile DIR]
 * In a few minutes: --requests 10000 --payments 10000 --rounds 9 --refreshes 3
 */

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: 'create,read,event,refresh' },
    requests: { type: 'string', default: '100000' },
    few: { type: 'string', default: '1000' },
    payments: { type: 'string', default: '50000' },
    rounds: { type: 'string', default: '30' },
    refreshes: { type: 'string', default: '5' },
    'only-ours': { type: 'boolean', default: false },
    keep: { type: 'string' },
    profile: { type: 'string' },
  },
});

const reference = !options['only-ours'];
const [many, few] = [Number(options.requests), Number(options.few)];
const rounds = Number(options.rounds);
const number = (value: number): string => value.toLocaleString('en');
const ms = (value: number | undefined): string => (value === undefined ? '' : `${value.toFixed(1)} ms`);

const rows: (readonly string[])[] = [];

/** Adds a row of times. */
function addTimes(what: string, ours: number, theirs: number | undefined, bar: string): void {
  rows.push([what, ms(ours), ms(theirs), theirs === undefined ? '' : (ours / theirs).toFixed(2), bar]);
}

/** Adds a row of a call, and one of its processor time. */
function addCall(what: string, ours: CallCost, theirs: CallCost | undefined, bar: string): void {
  addTimes(what, ours.elapsed, theirs?.elapsed, bar);
  addTimes(`${what}, CPU`, ours.cpu, theirs?.cpu, '');
}

async function addCalls(isCreate: boolean, isRead: boolean): Promise<void> {
  const theirs = reference && isCreate ? await measureReferenceAddress(rounds) : undefined;
  for (const requests of [few, many]) {
    const figures = await measureCalls({ requests, rounds, profile: options.profile });
    const beside = `${number(requests)} open requests`;
    if (isCreate) addCall(`create a request beside ${beside}`, figures.create, theirs, '3 ms');
    if (!isRead) continue;
    addCall(`one of ${beside}, by id`, figures.getOne, undefined, '2 ms');
    addCall(`one of ${beside}, by reference`, figures.getByReference, undefined, '2 ms');
    addCall(`list of 100 of ${beside}, in one state`, figures.list, undefined, '5 ms');
    addCall(`list of 100 of ${beside}, by cursor`, figures.listFromMiddle, undefined, '5 ms');
    addCall(`list of 100 of ${beside}, in three states`, figures.listByStates, undefined, '5 ms');
    addCall(`search of ${beside} for a text of none`, figures.listByText, undefined, '');
  }
}

async function addLatency(): Promise<void> {
  const measured = await measureLatency({ requests: many, payments: rounds, reference });
  for (const [kind, what] of [
    ['seen', 'a payment in the mempool'],
    ['mined', 'a block'],
  ] as const) {
    const { plain, requesting, reference: theirs } = measured;
    const bar = ms(plain[kind] + 2);
    addTimes(`${what} to its event at a client, without requests`, plain[kind], theirs?.[kind], '');
    addTimes(`the same beside ${number(many)} open requests`, requesting[kind], theirs?.[kind], bar);
  }
  const { plain, requesting } = measured;
  addTimes('CPU of the server for both, without requests', plain.cpu, undefined, '');
  addTimes(`the same beside ${number(many)} open requests`, requesting.cpu, undefined, ms(plain.cpu + 2));
}

async function addRefresh(kind: PaymentKind): Promise<void> {
  const payments = Number(options.payments);
  const {
    plain,
    requesting,
    reference: theirs,
  } = await measureRefresh({
    ...{ payments, kind, rounds: Number(options.refreshes), keep: options.keep, profile: options.profile },
    reference: reference && kind === 'transactions',
  });
  const what = `refresh of ${number(payments)} ${kind === 'rewards' ? 'locked' : 'ordinary'} payments`;
  for (const [of, name] of [
    ['elapsed', ''],
    ['cpu', ', CPU'],
    ['mainThread', ', CPU of the main thread'],
  ] as const) {
    const their = of === 'mainThread' ? undefined : theirs?.[of];
    addTimes(`${what}${name}, without requests`, plain[of], their, '');
    addTimes(`the same to as many requests`, requesting[of], their, '');
    const more = `${((100 * (requesting[of] - plain[of])) / plain[of]).toFixed(1)} %`;
    rows.push(['the same, over the one without', more, '', '', of === 'mainThread' ? '' : '8 %']);
  }
  if (theirs === undefined) return;
  rows.push(
    [`poll of one address among ${number(payments)} payments`, '', ms(theirs.pollOne), '', ''],
    [`poll of all ${number(payments)} payments`, '', ms(theirs.pollAll), '', ''],
  );
}

const wanted = options.only.split(',');
if (wanted.includes('create') || wanted.includes('read'))
  await addCalls(wanted.includes('create'), wanted.includes('read'));
if (wanted.includes('event')) await addLatency();
if (wanted.includes('refresh'))
  for (const kind of ['transactions', 'rewards'] as const) await addRefresh(kind);
process.stdout.write(`medians of ${rounds}, of refreshes ${options.refreshes}\n`);
printTable(['', 'ours', 'reference', 'ratio', 'bar'], rows);
