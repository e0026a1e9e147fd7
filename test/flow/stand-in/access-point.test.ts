// The stand-in access point of the tests is held to what real ones are held to (npm run test:network).
import { expectOfAccessPoint } from '../../network/expectations.ts';
import { AP_TOKEN, startHttpAccessPoint } from '../../support/access-point.ts';
import { BUYER, invoice, SELLER } from '../../support/documents.ts';
import { answerDocument, envelopeOf, MLS } from '../../support/network-answers.ts';
import { patienceMs } from '../../support/patience.ts';

expectOfAccessPoint(
  'the stand-in of the tests',
  async (backendUrl) => {
    const ap = await startHttpAccessPoint(backendUrl);
    ap.mode = () => 'send';
    return {
      url: ap.url,
      token: AP_TOKEN,
      outgoing: (instanceId) => envelopeOf(invoice(), { instanceId, sender: SELLER, receiver: BUYER }),
      async counterpart(answers) {
        ap.mode = () => (answers ? 'send' : 'fail');
      },
      retries: () => ap.retry(),
      archives: async () => ap.archive(),
      async receives(instanceId, answer) {
        const bill = invoice({ sender: BUYER, receiver: SELLER });
        const document = answer ? answerDocument({ customization: MLS, ...answer }) : bill;
        const sender = answer ? '0242:000123' : BUYER;
        await ap.receive(new TextDecoder().decode(envelopeOf(document, { instanceId, sender, receiver: SELLER })));
      },
      [Symbol.asyncDispose]: () => ap[Symbol.asyncDispose](),
    };
  },
  patienceMs(),
);
