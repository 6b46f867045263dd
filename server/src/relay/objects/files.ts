/** Files that providers keep for ordinary users: each goes to one account, and belongs to the user who uploaded it. */
import { objectOr, parseJson } from '#json.ts';
import {
  countObjects,
  findObjects,
  forgetObject,
  listObjects,
  rememberObjects,
  UNTIL_DELETED_S,
} from '#affinity/upstream-objects.ts';
import type { Deps } from '#deps.ts';
import type { LiveChannel } from '#live/routing-table.ts';
import type { AuthenticatedCaller, HttpContext } from '#relay/types/call-types.ts';
import type { PathRow } from '#relay/types/path-row.ts';
import { forUsers } from '#relay/pass-through/for-users.ts';
import { passThrough } from '#relay/pass-through/pass-through.ts';
import { checkRate, withRate } from '#relay/admission/call-rate.ts';
import { pageById } from './id-page.ts';
import { sendJson } from '#relay/reply/send-json.ts';
import { queryOf } from '#relay/body/url-query.ts';
import { RelayError } from '#relay/reply/relay-error.ts';
import type { StatePlace } from '#relay/types/call-state.ts';
import { fileNotFound } from '#relay/state/object-refusals.ts';
import { placeForNew } from './new-place.ts';

/** The forms in which files are kept. */
export type FileDialect = 'openai' | 'anthropic';

const PREFIX = '/v1/files';
export const MAX_FILES_PER_USER = 1000;
const PAGE: Record<FileDialect, { usual: number; most: number }> = {
  openai: { usual: 10_000, most: 10_000 },
  anthropic: { usual: 20, most: 1000 },
};

export const fileRows: readonly PathRow[] = [
  {
    path: `${PREFIX}/*`,
    endpoint: PREFIX,
    answers(context, parts) {
      const dialect = context.request.headers['anthropic-version'] === undefined ? 'openai' : 'anthropic';
      const answer = forUsers({ prefix: PREFIX, dialect }, (_, authenticated) =>
        answerFiles(context, authenticated, dialect),
      );
      return answer(context, parts);
    },
  },
];

/** Rejects with a `RelayError`, 404 for a file of another user. */
async function answerFiles(
  context: HttpContext,
  authenticated: AuthenticatedCaller,
  dialect: FileDialect,
): Promise<void> {
  const { request, deps } = context;
  const path = (request.url ?? '/').replace(/\?.*$/, '').replace(/\/$/, '');
  const [, id, content] = /^\/v1\/files\/([\w.-]{1,256})(\/content)?$/.exec(path) ?? [];
  const { method } = request;
  const { userId } = authenticated.caller;
  if (path === PREFIX && method === 'POST') return upload(context, authenticated, dialect);
  if (path === PREFIX && method === 'GET') return list(context, authenticated, dialect);
  if (id !== undefined && (method === 'GET' || (method === 'DELETE' && content === undefined))) {
    return passThrough(context, PREFIX, {
      locate: () => placeOfFile(deps, userId, id),
      ...(method === 'DELETE' && { learn: () => forgetObject(deps.db, userId, id) }),
    });
  }
  throw new RelayError(404, `Invalid URL (${method} ${path})`, { type: 'invalid_request_error', code: 'unknown_url' });
}

/** Where a user's file is kept. Rejects with a 404 for a file of another user. */
export async function placeOfFile({ db, now }: Deps, userId: number, id: string): Promise<StatePlace> {
  const file = (await findObjects(db, userId, ['file'], { ids: [id], now: now() })).get(id);
  if (!file) throw fileNotFound(id);
  return file;
}

async function upload(
  context: HttpContext,
  { caller, group }: AuthenticatedCaller,
  dialect: FileDialect,
): Promise<void> {
  const { deps } = context;
  const { db } = deps;
  const owner = { userId: caller.userId, tokenId: caller.tokenId };
  if ((await countObjects(db, owner.userId, 'file', deps.now())) >= MAX_FILES_PER_USER)
    throw new RelayError(400, `You have ${MAX_FILES_PER_USER} files, the most that are kept. Delete some first.`, {
      type: 'invalid_request_error',
      code: 'too_many_files',
    });
  const place = await placeForUpload(deps, { caller, group }, dialect);
  await passThrough(context, PREFIX, {
    locate: () => Promise.resolve(place),
    async learn(file) {
      const { id } = file;
      if (typeof id !== 'string' || id === '') return;
      const now = deps.now();
      const until = typeof file['expires_at'] === 'number' ? file['expires_at'] : now + UNTIL_DELETED_S;
      const data = JSON.stringify({ ...file, dialect });
      await rememberObjects(db, owner, [{ kind: 'file', id, ...place, parentId: '', tokens: 0, data }], { now, until });
    },
  });
}

async function placeForUpload(
  deps: Deps,
  { caller, group }: Pick<AuthenticatedCaller, 'caller' | 'group'>,
  dialect: FileDialect,
): Promise<StatePlace> {
  const keeps = (channel: LiveChannel) => keepsFiles(channel, dialect);
  const place = await placeForNew(deps, { caller, group: group.symbol, kinds: ['file'], keeps });
  if (place) return place;
  throw new RelayError(404, 'No channel of your group keeps files.', {
    type: 'invalid_request_error',
    code: 'files_not_available',
  });
}

const keepersOf: Record<FileDialect, readonly string[]> = { openai: ['openai'], anthropic: ['anthropic'] };

const keepsFiles = ({ provider }: LiveChannel, dialect: FileDialect): boolean =>
  provider.raw !== undefined && !provider.sign && keepersOf[dialect].includes(provider.id);

async function list(context: HttpContext, { caller }: AuthenticatedCaller, dialect: FileDialect): Promise<void> {
  const { deps, response, requestId } = context;
  const rate = await checkRate(deps, caller);
  try {
    const query = queryOf(context);
    const rows = await listObjects(deps.db, caller.userId, 'file', deps.now());
    const files = rows.flatMap(({ data }) => {
      const { dialect: kept, ...file } = objectOr(parseJson(data));
      const purpose = query.get('purpose');
      return kept === dialect && (purpose === null || file['purpose'] === purpose) ? [file] : [];
    });
    const page = pageById(files, query, PAGE[dialect]);
    sendJson(response, requestId, { ...(dialect === 'openai' && { object: 'list' }), ...page }, rate);
  } catch (error) {
    throw withRate(error, rate);
  }
}
