import { createHash } from 'node:crypto';
import { MOST_PICTURE_BYTES } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { extensionOf, mediaTypeOf } from '#tasks/media/media-type.ts';

const FOLDER = '/pictures/';
/** SVG is left out: it can hold scripts. */
const types: ReadonlySet<string | undefined> = new Set(['image/png', 'image/jpeg', 'image/webp']);
/** Earlier uploads that stay, so that the history of a setting can be restored. */
const KEPT = 20;
const NAME_LENGTH = 32;

/**
 * Stores an image from a data address; its bytes decide the type. Returns its address on this site, which is the same
 * for the same bytes. Throws `picture.type`, `picture.too_large`.
 */
export async function storePicture({ db, now }: Pick<Deps, 'db' | 'now'>, dataAddress: string): Promise<string> {
  const bytes = Buffer.from(dataAddress.slice(dataAddress.indexOf(',') + 1), 'base64');
  if (bytes.length > MOST_PICTURE_BYTES)
    throw new AppError('picture.too_large', { field: 'data', limit: `${MOST_PICTURE_BYTES / 1024} KiB` });
  const type = mediaTypeOf(bytes, 'image');
  ensure(type !== undefined && types.has(type), 'picture.type', { field: 'data' });
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, NAME_LENGTH);
  const name = `${hash}.${extensionOf(type)}`;
  const row = { name, type, base64: bytes.toString('base64'), created_time: now() };
  await db.transaction().execute(async (trx) => {
    await trx
      .insertInto('site_pictures')
      .values(row)
      .onConflict((clash) => clash.column('name').doUpdateSet({ created_time: row.created_time }))
      .execute();
    const newest = trx.selectFrom('site_pictures').select('name').orderBy('created_time', 'desc').orderBy('name');
    const kept = await newest.limit(KEPT).execute();
    const used = await trx.selectFrom('options').select('value').where('value', 'like', `${FOLDER}%`).execute();
    const names = [...kept.map((each) => each.name), ...used.map(({ value }) => value.slice(FOLDER.length)), name];
    await trx.deleteFrom('site_pictures').where('name', 'not in', names).execute();
  });
  return FOLDER + name;
}

/** The image of a name; undefined if there is none. */
export async function findPicture(
  { db }: Pick<Deps, 'db'>,
  name: string,
): Promise<{ type: string; body: Buffer } | undefined> {
  const found = await db
    .selectFrom('site_pictures')
    .select(['type', 'base64'])
    .where('name', '=', name)
    .executeTakeFirst();
  return found && { type: found.type, body: Buffer.from(found.base64, 'base64') };
}
