import * as z from 'zod/mini';
import { LAST_RESERVED_OWNER } from '../codes.ts';
import { idParam, text } from '../values.ts';

/** Name of a built-in icon, a URL, or empty for the first letter of the name. */
const icon = text(200_000).check(
  z.refine((value) => value === '' || /^[a-z0-9-]{1,60}$/.test(value) || isPicture(value), { error: 'owner.icon' }),
);

const isPicture = (value: string) =>
  /^(https?:\/\/\S+|\/(?!\/)\S*|data:image\/(png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z0-9+/=]+)$/.test(value);

/** 32-bit, like channel types. */
export const ownerId = idParam.check(z.lte(2_147_483_647));

export const modelOwnerEdit = z.object({
  id: ownerId,
  name: text(100, 1),
  icon: z._default(icon, ''),
});

export const newModelOwner = z.extend(modelOwnerEdit, {
  id: idParam.check(z.gt(LAST_RESERVED_OWNER, { error: 'owner.reserved' }), z.lte(2_147_483_647)),
});
