import { systemClock } from '../../util/clock.js';
import {
  BasicConstraintsExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { KeyObject, randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import { answerCalls, job } from '../../util/thread-jobs.js';

const YEARS = 10;
const NAME = 'localhost';

/** Makes a P-256 key and a self-signed certificate, and the fingerprint of its SHA-256. */
async function make() {
  const { subtle } = webcrypto;
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const notBefore = new Date(systemClock.now());
  const notAfter = new Date(notBefore);
  notAfter.setFullYear(notAfter.getFullYear() + YEARS);
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      // The serial number is positive, and different at every start, since clients distinguish certificates by their
      // serial numbers.
      serialNumber: `01${randomBytes(15).toString('hex')}`,
      name: `CN=${NAME}`,
      notBefore,
      notAfter,
      keys,
      signingAlgorithm: algorithm,
      extensions: [
        new BasicConstraintsExtension(false),
        new SubjectAlternativeNameExtension([
          { type: 'dns', value: NAME },
          { type: 'ip', value: '127.0.0.1' },
        ]),
      ],
    },
    webcrypto,
  );
  const cert = certificate.toString('pem');
  return {
    key: KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }),
    cert,
    fingerprint: new X509Certificate(cert).fingerprint256,
  };
}

const JOBS = { make: job(make) };

export type SelfSignedJobs = typeof JOBS;

answerCalls(JOBS);
