import { startFakeDns } from '../support/fake-dns.js';

/** What the internet says of the name that the tests look up. */
const DONATIONS =
  '888tNkZrPN6JsEgekjMnABU4TBzc2Dt29EPAvkRxbANsAnjyPbb3iQ1YBRk1UXcdRsiKc9dhwMVgN5S9cQUiyoogDavup3H';

/** A resolver for the tests of the reference; its port is the one line of output. */
const dns = await startFakeDns({
  'donate.getmonero.org': { texts: [`oa1:xmr recipient_address=${DONATIONS}; recipient_name=Donations;`] },
});
process.stdout.write(`${dns.port}\n`);
