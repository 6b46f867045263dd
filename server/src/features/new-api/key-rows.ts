import { logApi, type ParsedOf } from '@relay-hub/contract';
import { declarationOf } from '@relay-hub/contract/registry';
import { listOwnLogs } from '#features/log/log-queries.ts';
import { authenticate } from '#relay/admission/authenticate.ts';
import type { RelayError } from '#relay/reply/relay-error.ts';
import { sendJson } from '#relay/reply/send-json.ts';
import { checkQueries } from '#relay/routes/billing.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import type { PathAnswer, PathRow } from '#relay/types/path-row.ts';

/** Rows in the reply of `/api/log/token`. */
const MOST_ROWS = 100;

/** Refusals as the management API of the product family writes them. */
const errorBody = ({ message, code }: RelayError): string => JSON.stringify({ success: false, message, code });

const keyRow = (path: string, answer: PathAnswer): PathRow[] => [
  ...[path, `${path}/`].map((each) => ({ path: each, endpoint: path, answers: { GET: answer }, errorBody })),
  // With a query.
  { path: `${path}/*`, errorBody },
];

/** Routes of new-api that are asked with the API key alone. */
export const newApiKeyRows: readonly PathRow[] = [
  ...keyRow('/api/usage/token', answerUsage),
  ...keyRow('/api/log/token', answerLog),
];

/** Quota of the key, in credits. Facts: new-api, `GetTokenUsage` in `controller/token.go`. */
async function answerUsage(context: HttpContext): Promise<void> {
  const { deps, response, requestId } = context;
  await checkQueries(context);
  const { caller } = await authenticate(context);
  // Includes calls that have just finished.
  await deps.book.caughtUp();
  const { remain_quota, held, used_quota, limits } = await deps.db
    .selectFrom('tokens')
    .where('id', '=', caller.tokenId)
    .select(['remain_quota', 'held', 'used_quota', 'limits'])
    .executeTakeFirstOrThrow();
  const left = caller.unlimited ? 0 : remain_quota + held;
  const models = limits?.models ?? [];
  const data = {
    object: 'token_usage',
    name: caller.tokenName,
    total_granted: left + used_quota,
    total_used: used_quota,
    total_available: left,
    unlimited_quota: caller.unlimited,
    model_limits: Object.fromEntries(models.map((model) => [model, true])),
    model_limits_enabled: models.length > 0,
    expires_at: Math.max(0, caller.expiredTime),
  };
  sendJson(response, requestId, { code: true, success: true, message: 'ok', data });
}

/** The newest log rows of the key. Older programs send the key as `?key=`. */
async function answerLog(context: HttpContext): Promise<void> {
  const { deps, response, requestId } = context;
  await checkQueries(context);
  // The only dialect that takes a key from the query.
  const { caller } = await authenticate(context, 'gemini');
  await deps.book.caughtUp();
  const filters = { token_id: caller.tokenId, size: MOST_ROWS };
  const query = declarationOf(logApi.ownList).query.parse(filters) as ParsedOf<typeof logApi.ownList>['query'];
  const { data } = await listOwnLogs(deps.db, caller.userId, query);
  sendJson(response, requestId, { success: true, message: '', data });
}
