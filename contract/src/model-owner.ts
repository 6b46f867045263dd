import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { modelOwnerEdit, newModelOwner, ownerId } from './model-owner-input.ts';
import { modelOwner } from './site.ts';

export const modelOwnerApi = {
  get: endpoint({
    method: 'GET',
    path: '/api/model_ownedby/:id',
    audience: 'admin',
    summary: 'One maker of models',
    params: z.object({ id: ownerId }),
    reply: modelOwner,
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/model_ownedby/',
    audience: 'admin',
    summary: 'Add a maker of models under an id above 1000',
    body: newModelOwner,
    reply: modelOwner,
  }),
  update: endpoint({
    method: 'PUT',
    path: '/api/model_ownedby/',
    audience: 'admin',
    summary: 'Change name and icon of a maker of models; its id stays',
    body: modelOwnerEdit,
    reply: modelOwner,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/model_ownedby/:id',
    audience: 'admin',
    summary: 'Delete a maker of models that no price in force names',
    params: z.object({ id: ownerId }),
  }),
};
