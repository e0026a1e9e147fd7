// What the core is measured against: a thread with a bare fastify server that parses the XML with saxes and echoes the body.
import { parentPort } from 'node:worker_threads';
import { fastify } from 'fastify';
import { SaxesParser } from 'saxes';

const server = fastify();
server.removeAllContentTypeParsers();
server.addContentTypeParser('application/xml', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
server.post('/', async (request, reply) => {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  new SaxesParser({ xmlns: true }).write(new TextDecoder('utf-8', { fatal: true }).decode(body)).close();
  return reply.type('application/xml').send(body);
});
await server.listen({ host: '127.0.0.1', port: 0 });
const address = server.server.address();
parentPort?.postMessage(typeof address === 'object' && address ? `http://127.0.0.1:${address.port}` : '');
parentPort?.once('message', () => server.close());
