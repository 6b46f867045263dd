import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Deps } from '#deps.ts';
import { acceptBytes } from '#http/json-body.ts';
import { handleNotice } from './handle-notice.ts';

/** Larger than any notification of the supported gateways. */
const BODY_LIMIT = 256 * 1024;

/**
 * The address that payment gateways notify. It takes any method and media type, because each gateway has its own; the
 * signature is the only proof of origin.
 */
export async function noticeRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
  await app.register(async (scope) => {
    acceptBytes(scope, deps.bodies, BODY_LIMIT);
    scope.route<{ Params: { uuid: string } }>({
      method: ['GET', 'POST'],
      url: '/api/payment/notify/:uuid',
      exposeHeadRoute: false,
      handler: async (request, reply) => {
        const { status, type, body } = await handleNotice(deps, request.params.uuid, {
          method: request.method,
          query: request.url.split('?')[1] ?? '',
          headers: textHeaders(request),
          body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
        });
        return reply.code(status).type(type).send(body);
      },
    });
  });
}

/** Headers that occur once; a repeated signature header is not one to trust. */
const textHeaders = ({ headers }: FastifyRequest): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
