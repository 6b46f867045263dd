import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { modelOwnerEdit, newModelOwner, ownerId } from './model-owner-input.ts';
import { modelOwner } from './site.ts';

export const modelOwnerSchemas = {
  get: {
    audience: 'admin',
    summary: 'One maker of models',
    params: z.object({ id: ownerId }),
    reply: modelOwner,
  },
  create: {
    audience: 'admin',
    summary: 'Add a maker of models under an id above 1000',
    body: newModelOwner,
    reply: modelOwner,
  },
  update: {
    audience: 'admin',
    summary: 'Change name and icon of a maker of models; its id stays',
    body: modelOwnerEdit,
    reply: modelOwner,
  },
  remove: {
    audience: 'admin',
    summary: 'Delete a maker of models that no price in force names',
    params: z.object({ id: ownerId }),
  },
} as const satisfies SchemasByEndpoint;
