import { randomInt } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import type { Db } from '#db/tables.ts';

/** A client that fetched a check's picture. */
export interface ImageFetch {
  ip: string;
  userAgent: string;
}

const LIVES_S = 10 * 60;
const MOST_FETCHES = 20;
const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Publishes a picture for ten minutes under an unguessable id, and returns the id. */
export async function addCheckImage(db: Db, now: number): Promise<string> {
  await db.deleteFrom('check_images').where('expires_time', '<=', now).execute();
  const id = Array.from({ length: 10 }, () => letters[randomInt(letters.length)]).join('');
  await db
    .insertInto('check_images')
    .values({ id, expires_time: now + LIVES_S })
    .execute();
  return id;
}

/** Records a fetch, on any node; false for an unknown id. */
export async function fetchCheckImage(
  db: Db,
  id: string,
  { ip, userAgent }: ImageFetch,
  now: number,
): Promise<boolean> {
  const kept = await db.selectFrom('check_images').where('id', '=', id).selectAll().executeTakeFirst();
  if (!kept || kept.expires_time <= now) return false;
  if ((await fetchesOf(db, id)).length < MOST_FETCHES)
    await db
      .insertInto('check_image_fetches')
      .values({ image_id: id, ip, user_agent: userAgent.slice(0, 300) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  return true;
}

/** The distinct clients that fetched it. */
export const fetchesOf = (db: Db, id: string): Promise<ImageFetch[]> =>
  db.selectFrom('check_image_fetches').where('image_id', '=', id).select(['ip', 'user_agent as userAgent']).execute();

/** The service behind a user agent, or `unknown`. */
export function fetcherOf(userAgent: string): 'OpenAI' | 'Azure' | 'Go relay' | 'unknown' {
  if (/openai/i.test(userAgent)) return 'OpenAI';
  if (/^IPS\/|azure|microsoft/i.test(userAgent)) return 'Azure';
  return /^Go-http-client/i.test(userAgent) ? 'Go relay' : 'unknown';
}

const SIDE = 64;
const RED = Buffer.of(0xe0, 0x20, 0x20);

/** A red square. */
export const checkPicture: Buffer = redSquare();

function redSquare(): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(SIDE, 0);
  head.writeUInt32BE(SIDE, 4);
  // Eight bits per channel, RGB; the other fields are fixed.
  head.set([8, 2, 0, 0, 0], 8);
  // Each scanline starts with its filter type: none.
  const line = Buffer.concat([Buffer.of(0), ...Array.from({ length: SIDE }, () => RED)]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: SIDE }, () => line)));
  const signature = Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
