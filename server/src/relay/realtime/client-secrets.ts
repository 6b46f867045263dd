/**
 * Short-lived secrets for realtime sessions: a server gives one to a browser, which then needs no API key. They are the
 * hub's own, and only its WebSocket accepts them. An upstream's secret is never handed out.
 */
import { bareRequest } from '#relay/types/parsed-request.ts';
import { isObject, type Json, objectOr, parseJson, textOr } from '#json.ts';
import type { Deps } from '#deps.ts';
import { findCaller } from '#live/callers.ts';
import type { CallContext, HttpContext, RelayCall, RouteQuery } from '#relay/types/call-types.ts';
import type { PathRow } from '#relay/types/path-row.ts';
import { isName } from '#relay/dialects/open-ai.ts';
import { authenticate, keySentIn } from '#relay/admission/authenticate.ts';
import { type BodyIntake, parseJson as parseBody, readBody } from '#relay/body/read-body.ts';
import { refuseRoutingFields } from '#relay/body/routing-fields.ts';
import { checkRate, withRate } from '#relay/admission/call-rate.ts';
import { checkCallAllowed } from '#relay/admission/limit-refusal.ts';
import { badRequest, RelayError, unauthorized } from '#relay/reply/relay-error.ts';
import { sendJson } from '#relay/reply/send-json.ts';
import { chooseChannel, nothingTried } from '#relay/select/choose-channel.ts';
import { fingerprint, randomText } from '#secrets.ts';

const CLIENT_SECRETS = '/v1/realtime/client_secrets';

export const clientSecretRows: readonly PathRow[] = [
  { path: CLIENT_SECRETS, endpoint: CLIENT_SECRETS, answers: { POST: create } },
];

const PREFIX = 'ek_';
export const SECRET_LENGTH = 48;
/** OpenAI's default and limits. */
const LIFETIME_S = { usual: 600, least: 10, most: 7200 };
const MAX_SESSION_BYTES = 256 * 1024;
/** Limit of unexpired secrets of a token. */
const MAX_SECRETS = 1000;

async function create(context: HttpContext): Promise<void> {
  const { deps, response, requestId } = context;
  const admitted = await authenticate(context);
  const { caller, group } = admitted;
  const rate = await checkRate(deps, caller);
  const claim = deps.bodies.claim(caller.userId);
  try {
    const intake: BodyIntake = { claim, whenLarge: () => undefined };
    const { session, lifetimeS } = readOrder(parseBody(await readBody(context.request, intake)));
    const { model } = session;
    if (isName(model)) {
      context.trace.model = model;
      const query: RouteQuery = { ...routeOf(model), group, caller, pin: undefined, except: undefined };
      // The session chooses a step of a virtual model.
      if (!deps.live.virtualModels.has(model)) chooseChannel(deps, query, nothingTried);
      if (caller.limits) checkCallAllowed(caller.limits, query as RelayCall); // model and operation are read
    }
    await checkCount(deps, caller.tokenId);
    const value = PREFIX + randomText(SECRET_LENGTH);
    const now = deps.now();
    const expiresAt = now + lifetimeS;
    await deps.db
      .insertInto('client_secrets')
      .values({
        secret_hash: fingerprint(value),
        token_id: caller.tokenId,
        session_cipher: deps.secrets.encrypt(JSON.stringify(session)),
        created_at: now,
        expires_at: expiresAt,
      })
      .execute();
    const shown = { ...session, object: 'realtime.session', id: `sess_${requestId}`, expires_at: expiresAt };
    sendJson(response, requestId, { value, expires_at: expiresAt, session: shown }, rate);
  } catch (error) {
    throw withRate(error, rate);
  } finally {
    claim.release();
  }
}

const routeOf = (model: string): Pick<RelayCall, 'operation' | 'dialect' | 'request'> => ({
  operation: 'realtime',
  dialect: 'openai',
  request: bareRequest(model, { stream: true, wantsUsage: true }),
});

function readOrder(json: unknown): { session: Json; lifetimeS: number } {
  if (!isObject(json)) throw badRequest('The request body must be a JSON object.');
  const { session = {}, expires_after: expires } = json;
  if (!isObject(session)) throw badRequest("'session' is not valid: it must be an object.", 'session');
  refuseRoutingFields(session);
  const { type = 'realtime', model } = session;
  if (type !== 'realtime')
    throw badRequest("'session.type' is not valid: only sessions of the type realtime are served.", 'session.type');
  if (model !== undefined && !isName(model))
    throw badRequest("'session.model' is not valid: it must be the name of a model.", 'session.model');
  if (Buffer.byteLength(JSON.stringify(session)) > MAX_SESSION_BYTES)
    throw badRequest(`'session' is too large: it may have ${MAX_SESSION_BYTES} bytes.`, 'session');
  const { seconds = LIFETIME_S.usual, anchor = 'created_at' } = objectOr(expires);
  const { least, most } = LIFETIME_S;
  if (anchor !== 'created_at')
    throw badRequest("'expires_after.anchor' is not valid: it must be created_at.", 'expires_after.anchor');
  if (typeof seconds !== 'number' || !Number.isInteger(seconds) || seconds < least || seconds > most)
    throw badRequest(
      `'expires_after.seconds' is not valid: it must be a whole number from ${least} to ${most}.`,
      'expires_after.seconds',
    );
  return { session: { ...session, type }, lifetimeS: seconds };
}

/** Throws a 429 for a token with too many unexpired secrets. */
export async function checkCount({ db, now }: Deps, tokenId: number): Promise<void> {
  const { count } = await db
    .selectFrom('client_secrets')
    .where('token_id', '=', tokenId)
    .where('expires_at', '>', now())
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  if (count < MAX_SECRETS) return;
  throw new RelayError(429, `This API key has ${MAX_SECRETS} client secrets that have not expired. Try again later.`, {
    type: 'rate_limit_error',
    code: 'too_many_client_secrets',
  });
}

/**
 * Identifies the caller of an upgrade by a client secret, and returns the session that it was created for. Undefined:
 * the request has an API key instead. Rejects with a 401 for a secret that is unknown or has expired.
 */
export async function admitClientSecret(context: CallContext): Promise<Json | undefined> {
  const { deps, request } = context;
  const sent = keySentIn(request, 'openai');
  if (sent?.startsWith(PREFIX) !== true) return undefined;
  const row = await deps.db
    .selectFrom('client_secrets')
    .where('secret_hash', '=', fingerprint(sent))
    .where('expires_at', '>', deps.now())
    .select(['token_id', 'session_cipher'])
    .executeTakeFirst();
  const caller = row && (await findCaller(deps.db, row.token_id));
  if (!row || !caller)
    throw unauthorized('key_unknown', 'Incorrect API key provided. The client secret is not valid, or has expired.');
  context.signedIn = caller;
  return objectOr(parseJson(deps.secrets.decrypt(row.session_cipher)));
}

/** The model of a session. Throws a 400 for another one than that of its client secret. */
export function modelOfSession(session: Json | undefined, requested: string | null): string | null {
  const model = textOr(session?.['model'], '');
  if (model === '') return requested;
  if (requested === null || requested === model) return model;
  throw badRequest(`The client secret was created for the model '${model}'.`, 'model');
}

/** The event that configures a session; undefined: there is nothing to configure. */
export function sessionUpdate(session: Json | undefined): string | undefined {
  if (!session) return undefined;
  const { model: _, type, ...config } = session;
  if (Object.keys(config).length === 0) return undefined;
  return JSON.stringify({ type: 'session.update', session: { type, ...config } });
}
