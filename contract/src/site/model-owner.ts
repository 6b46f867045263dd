import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { modelOwnerEdit, newModelOwner, ownerId } from './model-owner-input.ts';
import { modelOwner } from './site.ts';

export const modelOwnerSchemas = {
  get: {
    audience: 'admin',
    summary: 'Get a model owner',
    params: z.object({ id: ownerId }),
    reply: modelOwner,
  },
  create: {
    audience: 'admin',
    summary: 'Create a model owner with an id above 1000',
    body: newModelOwner,
    reply: modelOwner,
  },
  update: {
    audience: 'admin',
    summary: 'Update the name and icon of a model owner',
    body: modelOwnerEdit,
    reply: modelOwner,
  },
  remove: {
    audience: 'admin',
    summary: 'Delete a model owner that no current price uses',
    params: z.object({ id: ownerId }),
  },
} as const satisfies SchemasByEndpoint;
