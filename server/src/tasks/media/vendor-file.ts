import type { Deps } from '#deps.ts';
import type { StoredTaskMedia } from '#db/tables/tasks.ts';
import type { ProviderCall } from '#providers/operation.ts';
import type { UpstreamStream } from '#relay/upstream/open-stream.ts';
import { polledTask, vendorCall } from '#tasks/ask-vendor.ts';
import { originOf, type TaskOrigin } from '#tasks/origin-channel.ts';
import { askAbout } from '#tasks/poll/ask-about.ts';
import type { TaskRow } from '#tasks/task-rows.ts';
import { changeFiles } from './task-files.ts';

type VendorDeps = Pick<Deps, 'db' | 'log' | 'secrets' | 'upstreams'>;

const MOST_REDIRECTS = 3;
const goneStatuses: ReadonlySet<number> = new Set([400, 401, 403, 404, 410]);

/** The vendor's address does not lead to the file (any more). */
export class ExpiredAddress extends Error {}

/** The vendor could not be asked, or did not send the file; it may later. */
export class UnreachableFile extends Error {}

interface FileRequest {
  task: TaskRow;
  index: number;
  file: StoredTaskMedia;
  /** As the Range header has it; empty: the whole file. */
  range?: string;
  signal?: AbortSignal | undefined;
}

/**
 * Opens a result file at its vendor, through the channel's proxy and the check of destinations. An address that has
 * expired is renewed by a poll, where the vendor does that. Resolves for the statuses 200, 206 and 416. Rejects with
 * `ExpiredAddress` and `UnreachableFile`.
 */
export async function openVendorFile(deps: VendorDeps, request: FileRequest): Promise<UpstreamStream> {
  const { task, index, file } = request;
  const at = await originOf(deps, task);
  const source = at && (await sourceOf(deps, task, at));
  const answer = await follow(deps, file.url, source, request);
  if (!goneStatuses.has(answer.status)) return answerOf(answer);
  answer.body.destroy();
  const renewed = at && (await renewFiles(deps, task, at))?.[index]?.url;
  if (renewed === undefined || renewed === '' || renewed === file.url)
    throw new ExpiredAddress(`the vendor answered ${answer.status}`);
  const again = await follow(deps, renewed, source, request);
  if (!goneStatuses.has(again.status)) return answerOf(again);
  again.body.destroy();
  throw new ExpiredAddress(`the vendor answered ${again.status}`);
}

function answerOf(answer: UpstreamStream): UpstreamStream {
  if (answer.status === 200 || answer.status === 206 || answer.status === 416) return answer;
  answer.body.destroy();
  throw new UnreachableFile(`the vendor answered ${answer.status}`);
}

interface FileSource {
  at: TaskOrigin;
  call: ProviderCall;
  /** Origins that requests with the channel's key go to. */
  origins: ReadonlySet<string>;
}

/** Undefined: the key cannot be used, and files are fetched without it. */
async function sourceOf(deps: VendorDeps, task: TaskRow, at: TaskOrigin): Promise<FileSource | undefined> {
  try {
    const call = await vendorCall(deps, { ...at, model: task.upstream_model });
    const polled = task.upstream_id === '' ? undefined : at.operation.poll([polledTask(task)], call).baseUrl;
    const origins = [at.channel.baseUrl, polled ?? ''].map((address) => URL.parse(address)?.origin ?? '');
    return { at, call, origins: new Set(origins.filter((origin) => origin !== '')) };
  } catch (error) {
    deps.log.info({ task: task.task_id, reason: reasonOf(error) }, 'no key for fetching a result');
    return undefined;
  }
}

/** Follows redirects, each through the same check. The channel's key goes to the vendor's own hosts only. */
async function follow(
  { upstreams }: VendorDeps,
  address: string,
  source: FileSource | undefined,
  { range = '', signal }: FileRequest,
): Promise<UpstreamStream> {
  let url = parse(address);
  for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
    const isOwn = source?.origins.has(url.origin) ?? false;
    const keyed = isOwn ? source?.at.operation.mediaHeaders?.(url.href, source.call) : undefined;
    const answer = await upstreams
      .open({
        baseUrl: url.origin,
        path: url.pathname + url.search,
        method: 'GET',
        headers: { accept: '*/*', 'accept-encoding': 'identity', ...(range !== '' && { range }), ...keyed },
        proxy: source?.at.key.proxy,
        signal,
      })
      .catch((error: unknown): never => {
        throw new UnreachableFile(reasonOf(error), { cause: error });
      });
    const location = answer.status >= 300 && answer.status < 400 ? answer.headers['location'] : undefined;
    if (location === undefined || location === '') return answer;
    answer.body.destroy();
    const next = parse(location, url);
    if (url.protocol === 'https:' && next.protocol !== 'https:')
      throw new UnreachableFile('the vendor redirects to an address without encryption');
    url = next;
  }
  throw new UnreachableFile('the vendor redirects too often');
}

function parse(address: string, base?: URL): URL {
  const url = URL.parse(address, base);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new UnreachableFile('the vendor’s address cannot be fetched');
  return url;
}

/** A vendor is asked for new addresses of a task at most this often. */
const RENEW_EVERY_MS = 60_000;
const MOST_REMEMBERED = 10_000;
const askedAt = new Map<string, number>();

/** Asks the vendor for a task's addresses again, and keeps them. Undefined: there are no newer ones. */
async function renewFiles(deps: VendorDeps, task: TaskRow, at: TaskOrigin): Promise<StoredTaskMedia[] | undefined> {
  const last = askedAt.get(task.task_id);
  if (task.upstream_id === '' || (last !== undefined && Date.now() - last < RENEW_EVERY_MS)) return undefined;
  if (askedAt.size >= MOST_REMEMBERED) askedAt.clear();
  askedAt.set(task.task_id, Date.now());
  try {
    const reports = await askAbout(deps, at, [task]);
    if (typeof reports === 'string') return undefined;
    const media = reports.find(
      ({ upstreamId, status }) => upstreamId === task.upstream_id && status === 'SUCCESS',
    )?.media;
    if (!media) return undefined;
    return await changeFiles(deps, task.id, (files) => {
      const isAlike = media.length === files.length && files.every(({ kind }, index) => media[index]?.kind === kind);
      return isAlike ? files.map((file, index) => ({ ...file, url: media[index]?.url || file.url })) : undefined;
    });
  } catch (error) {
    deps.log.info({ task: task.task_id, reason: reasonOf(error) }, 'addresses of results were not renewed');
    return undefined;
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : '');
