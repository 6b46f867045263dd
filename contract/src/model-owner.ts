import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { modelOwner } from './site.ts';
import { idParam, text } from './values.ts';

/** Ids up to here belong to the makers that the product knows; they equal the numbers of channel types. */
export const LAST_RESERVED_OWNER = 1000;

/** The name of a picture that is built in, an address of one, or empty: then the first letter stands for it. */
const icon = text(200_000).check(
  z.refine((value) => value === '' || /^[a-z0-9-]{1,60}$/.test(value) || isPicture(value), { error: 'owner.icon' }),
);

const isPicture = (value: string) =>
  /^(https?:\/\/\S+|\/(?!\/)\S*|data:image\/(png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z0-9+/=]+)$/.test(value);

/** Of 32 bits, like the numbers of channel types. */
const ownerId = idParam.check(z.lte(2_147_483_647));

export const modelOwnerEdit = z.object({
  id: ownerId,
  name: text(100, 1),
  icon: z._default(icon, ''),
});

export const newModelOwner = z.extend(modelOwnerEdit, {
  id: idParam.check(z.gt(LAST_RESERVED_OWNER, { error: 'owner.reserved' }), z.lte(2_147_483_647)),
});

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
