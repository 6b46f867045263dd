import { isObject, parseJson } from '#json.ts';
import type { Deps } from '#deps.ts';
import { AppError } from '#errors.ts';
import { type Fetched, fetchGuarded, type OutboundOptions } from '#http/outbound/outbound.ts';
import { callerReach, operatorReach } from '#http/outbound/reach.ts';
import { ensureReachable } from '#http/outbound/typed-address.ts';

/** For a whole picture, redirects included. */
const TIMEOUT_MS = 15_000;
const MAX_MIB = 20;
const MAX_BYTES = MAX_MIB * 1024 * 1024;

type PictureDeps = Pick<Deps, 'config' | 'live' | 'log'>;

/** A picture that cannot be fetched. Its message is safe for callers: no address, port or network. */
export class PictureError extends Error {
  /** The operator's own proxy or worker failed. */
  readonly ours: boolean;

  constructor(reason: string, ours = false) {
    super(reason);
    this.ours = ours;
  }
}

/** Fetches a caller's picture directly, by a proxy or by a worker, depending on the settings. Throws `PictureError`. */
export async function fetchPicture(
  deps: PictureDeps,
  address: string,
  types: readonly string[],
  signal: AbortSignal,
): Promise<Buffer> {
  const { ChatImageRequestProxy: proxy, CFWorkerImageUrl: worker } = deps.live.settings;
  const options: OutboundOptions = {
    reach: callerReach(deps),
    proxyReach: operatorReach(deps),
    maxBytes: MAX_BYTES,
    timeoutMs: TIMEOUT_MS,
    accept: [...types, '*/*;q=0.1'].join(', '),
    proxy,
    signal,
  };
  try {
    if (worker === '') return (await fetchGuarded(address, options)).body;
    ensureReachable(address, { field: '', reach: options.reach });
  } catch (error) {
    throw pictureError(error);
  }
  return fetchByWorker(deps, worker, address, options);
}

function pictureError(error: unknown): PictureError {
  if (!(error instanceof AppError)) throw error;
  switch (error.code) {
    case 'outbound.address':
      return new PictureError('its address cannot be fetched');
    case 'outbound.status':
      return new PictureError(`its server answered with the status ${error.values['status']}`);
    case 'outbound.too_large':
      return new PictureError(`it is larger than ${MAX_MIB} MiB`);
    case 'outbound.timeout':
      return new PictureError('it did not arrive in time');
    case 'outbound.redirects':
      return new PictureError('its address redirects too often');
    default:
      // Callers must not learn which hosts exist in the operator's networks.
      return new PictureError('its server cannot be reached on the internet');
  }
}

/** A worker returns the picture as base64 in JSON. */
async function fetchByWorker(
  deps: PictureDeps,
  worker: string,
  url: string,
  options: OutboundOptions,
): Promise<Buffer> {
  const { live, log } = deps;
  const body = JSON.stringify({ action: 'base64', api_key: live.settings.CFWorkerImageKey, url });
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  const maxBytes = Math.ceil(MAX_BYTES / 3) * 4 + 4096;
  const accept = 'application/json';
  let answer: Fetched;
  try {
    answer = await fetchGuarded(worker, { ...options, reach: operatorReach(deps), accept, maxBytes, request });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (options.signal?.aborted || error.code === 'outbound.too_large') throw pictureError(error);
    log.warn({ reason: error.code, ...error.values }, 'picture worker unreachable');
    throw new PictureError('the picture worker of this server does not respond', true);
  }
  const reply = parseJson(answer.body.toString('utf8'));
  const data = isObject(reply) && answer.status === 200 ? reply['data'] : undefined;
  if (typeof data === 'string') return Buffer.from(data, 'base64');
  log.warn({ status: answer.status }, 'picture worker returned no picture');
  throw new PictureError('the picture worker of this server could not fetch it');
}
