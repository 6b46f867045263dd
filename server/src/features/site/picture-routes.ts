import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { findPicture } from './site-pictures.ts';

/** Serves the images that operators uploaded; nosniff and the sandboxing policy are those of every reply. */
export function pictureRoutes(app: FastifyInstance, deps: Deps): void {
  app.get<{ Params: { name: string } }>('/pictures/:name', async ({ params: { name } }, reply) => {
    const picture = await findPicture(deps, name);
    ensure(picture, 'record.not_found', { field: 'name' });
    return (
      reply
        // The name is a hash of the bytes.
        .header('cache-control', 'public, max-age=31536000, immutable')
        .type(picture.type)
        .send(picture.body)
    );
  });
}
