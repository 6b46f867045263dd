/** Google's Files API for ordinary users: a file belongs to the user who uploaded it, and stays at one account. */
import { type Json, objectOr, parseJson, textOr } from '#json.ts';
import { countObjects, findObjects, forgetObject, listObjects, rememberObjects } from '#affinity/upstream-objects.ts';
import type { Deps } from '#deps.ts';
import { isSignedPath, signedPath } from '#http/signed-path.ts';
import { siteAddress } from '#http/site-address.ts';
import { type Caller, findCaller } from '#live/callers.ts';
import type { LiveChannel } from '#live/routing-table.ts';
import type { ChannelChoice, HttpContext } from '#relay/types/call-types.ts';
import { passThrough } from '#relay/pass-through/pass-through.ts';
import { readBody } from '#relay/body/read-body.ts';
import { checkRate, withRate } from '#relay/admission/call-rate.ts';
import { RelayError } from '#relay/reply/relay-error.ts';
import { sendJson } from '#relay/reply/send-json.ts';
import { queryOf } from '#relay/body/url-query.ts';
import type { StatePlace } from '#relay/types/call-state.ts';
import { type CountedFile, countRequests, mayBeCounted } from './batch-file.ts';
import { fileNotFound } from '#relay/state/object-refusals.ts';
import { MAX_FILES_PER_USER } from './files.ts';
import { googlePage, googlePath, type GoogleObject } from './google-path.ts';
import { placeForNew } from './new-place.ts';

export const GOOGLE_FILES = '/gemini/files';

/** Google keeps files for two days. */
const KEPT_S = 2 * 86_400;
/** Google's addresses of uploads are valid for a week; an upload takes minutes. */
const UPLOAD_S = 86_400;
const PAGE = { usual: 10, most: 100 };

/** Whether a channel keeps objects of Google's dialect. */
export const keepsGoogleObjects = ({ provider }: LiveChannel): boolean =>
  provider.raw?.dialect === 'gemini' && !provider.sign;

/** Begins an upload, or uploads a file whole. */
export async function startUpload(context: HttpContext, { caller, group }: GoogleObject): Promise<void> {
  const { deps } = context;
  const { userId } = caller;
  if ((await countObjects(deps.db, userId, 'file', deps.now())) >= MAX_FILES_PER_USER)
    throw new RelayError(429, `You have ${MAX_FILES_PER_USER} files, the most that are kept. Delete some first.`, {
      type: 'rate_limit_error',
      code: 'too_many_files',
    });
  const kinds = ['file', 'cache'] as const;
  const place = await placeForNew(deps, { caller, group: group.symbol, kinds, keeps: keepsGoogleObjects });
  if (!place)
    throw new RelayError(404, 'No channel of your group keeps files.', {
      type: 'invalid_request_error',
      code: 'files_not_available',
    });
  await passThrough(context, GOOGLE_FILES, {
    locate: () => Promise.resolve(place),
    path: () => googlePath(context),
    dialect: 'gemini',
    ownUploadUrl: ownUploadUrl(context),
    learn: (reply) => remember(deps, caller, place, reply['file']),
  });
}

/**
 * The address at this server under which an upload is continued. It names the account and the caller, and is signed,
 * because clients send no key to it.
 */
export const ownUploadUrl =
  (context: HttpContext) =>
  (url: string, { channel, key }: ChannelChoice, { userId, tokenId }: Caller): string => {
    const { deps, request } = context;
    const uploadId = (URL.canParse(url) && new URL(url).searchParams.get('upload_id')) || '';
    const place = [channel.id, key.id, userId, tokenId].join('.');
    const signed = signedPath(deps.config.secretKey, uploadPath(uploadId, place), deps.now(), UPLOAD_S);
    const query = new URLSearchParams({ upload_id: uploadId, upload_protocol: 'resumable', place });
    const [path = ''] = (request.url ?? '').split('?');
    return `${siteAddress(deps, request)}${path}?${query.toString()}&${signed.split('?')[1] ?? ''}`;
  };

/** Signed members. */
const uploadPath = (uploadId: string, place: string): string => `/upload/${place}/${uploadId}`;

interface BegunUpload extends StatePlace {
  userId: number;
  tokenId: number;
}

/** The upload that a request continues. Throws a 404 for an address that was not given out here, or has expired. */
function begunUpload(context: HttpContext): BegunUpload {
  const { config, now } = context.deps;
  const query = queryOf(context);
  const place = query.get('place') ?? '';
  const path = uploadPath(query.get('upload_id') ?? '', place);
  const [channelId = 0, keyId = 0, userId = 0, tokenId = 0] = place.split('.').map(Number);
  if (isSignedPath(config.secretKey, path, query, now())) return { channelId, keyId, userId, tokenId };
  throw new RelayError(404, 'There is no such upload, or its address has expired.', {
    type: 'invalid_request_error',
    code: 'upload_not_found',
  });
}

/** Identifies the caller of a request that continues an upload without a key. Rejects with a 404 for an unknown upload. */
export async function admitUpload(context: HttpContext): Promise<void> {
  if (context.request.url?.startsWith('/gemini/upload/') !== true || !queryOf(context).has('sign')) return;
  const caller = await findCaller(context.deps.db, begunUpload(context).tokenId);
  if (caller) context.signedIn = caller;
}

export async function continueUpload(context: HttpContext, { caller }: GoogleObject): Promise<void> {
  const { deps } = context;
  const { userId, tokenId: _, ...place } = begunUpload(context);
  if (userId !== caller.userId)
    throw new RelayError(404, 'There is no such upload.', { type: 'invalid_request_error', code: 'upload_not_found' });
  const claim = deps.bodies.claim(userId);
  try {
    const body = mayBeCounted(context.request)
      ? await readBody(context.request, { claim, whenLarge: () => undefined })
      : undefined;
    const counted = body && countRequests(body);
    await passThrough(context, GOOGLE_FILES, {
      locate: () => Promise.resolve(place),
      path: () => googlePath(context),
      dialect: 'gemini',
      ...(body && { body }),
      async learn({ file }) {
        await remember(deps, caller, place, file);
        if (counted) await rememberCounted(deps, caller, place, { file, counted });
      },
    });
  } finally {
    claim.release();
  }
}

/** Forgotten with its file, whose name it has. */
async function rememberCounted(
  { db, now: clock }: Deps,
  owner: Caller,
  place: StatePlace,
  { file, counted }: { file: unknown; counted: CountedFile },
): Promise<void> {
  const id = textOr(objectOr(file)['name'], '');
  const now = clock();
  if (id.startsWith('files/'))
    await rememberObjects(
      db,
      owner,
      [{ kind: 'batch', id, ...place, parentId: id, tokens: 0, data: JSON.stringify(counted) }],
      { now, until: now + KEPT_S },
    );
}

export async function listFiles(context: HttpContext, { caller }: GoogleObject): Promise<void> {
  const { deps, response, requestId } = context;
  const rate = await checkRate(deps, caller);
  try {
    const rows = await listObjects(deps.db, caller.userId, 'file', deps.now());
    const files = rows.flatMap(({ data }) => {
      const { dialect, ...file } = objectOr(parseJson(data));
      return dialect === 'gemini' ? [file] : [];
    });
    const { page, ...next } = googlePage(files, queryOf(context), PAGE);
    sendJson(response, requestId, { files: page, ...next }, rate);
  } catch (error) {
    throw withRate(error, rate);
  }
}

/** Reading a file also renews what lists show of it: a video is processed after its upload. */
export const readFile = (context: HttpContext, object: GoogleObject): Promise<void> =>
  ofCaller(context, object, (place) => (reply) => remember(context.deps, object.caller, place, reply));

export const downloadFile = (context: HttpContext, object: GoogleObject): Promise<void> => ofCaller(context, object);

export const removeFile = (context: HttpContext, object: GoogleObject): Promise<void> =>
  ofCaller(context, object, () => () => forgetObject(context.deps.db, object.caller.userId, `files/${object.id}`));

async function ofCaller(
  context: HttpContext,
  { caller, id }: GoogleObject,
  learn?: (place: StatePlace) => (reply: Json) => Promise<void>,
): Promise<void> {
  const { db, now } = context.deps;
  const name = `files/${id}`;
  const { channelId, keyId } =
    (await findObjects(db, caller.userId, ['file'], { ids: [name], now: now() })).get(name) ?? notFound(name);
  const place = { channelId, keyId };
  await passThrough(context, GOOGLE_FILES, {
    locate: () => Promise.resolve(place),
    path: () => googlePath(context),
    dialect: 'gemini',
    ...(learn && { learn: learn(place) }),
  });
}

function notFound(name: string): never {
  throw fileNotFound(name);
}

async function remember(
  { db, now: clock }: Deps,
  { userId, tokenId }: Caller,
  place: StatePlace,
  reply: unknown,
): Promise<void> {
  const file = objectOr(reply);
  const name = textOr(file['name'], '');
  if (!name.startsWith('files/')) return;
  const now = clock();
  const expires = Math.floor(Date.parse(textOr(file['expirationTime'], '')) / 1000);
  const until = expires > now ? expires : now + KEPT_S;
  const data = JSON.stringify({ ...file, dialect: 'gemini' });
  const object = { kind: 'file', id: name, ...place, parentId: '', tokens: 0, data } as const;
  await rememberObjects(db, { userId, tokenId }, [object], { now, until });
}
