// Why a statement of the specification has no test.

const NETWORK = 'the connection to the network is not built yet; what goes on within one core is tested';
const ENRICHMENT = 'enrichment is not built yet';

export const UNTESTED: Readonly<Record<string, string>> = {
  S005: NETWORK,
  S006: NETWORK,
  S016: ENRICHMENT,
  S314: ENRICHMENT,
};
