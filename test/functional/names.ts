import { startFakeDns } from '../support/network/fake-dns.js';

/** TXT record of the name that the tests resolve. */
const DONATIONS =
  '888tNkZrPN6JsEgekjMnABU4TBzc2Dt29EPAvkRxbANsAnjyPbb3iQ1YBRk1UXcdRsiKc9dhwMVgN5S9cQUiyoogDavup3H';

/** Resolver for the tests of the reference; prints its port. */
const dns = await startFakeDns({
  'donate.getmonero.org': { texts: [`oa1:xmr recipient_address=${DONATIONS}; recipient_name=Donations;`] },
});
process.stdout.write(`${dns.port}\n`);
