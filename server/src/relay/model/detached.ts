import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { type Json, objectOr } from '#json.ts';
import { endResponse, storeResponse, type StoredResponse } from '#affinity/response-store.ts';
import { openAiCode } from '#chat/openai/write-openai-reply.ts';
import { responseId, responseShell } from '#chat/responses/write-responses-reply.ts';
import type { Deps } from '#deps.ts';
import type { Hold } from '#quota/book.ts';
import { type CallPlan, settleCall, settleFault } from '#relay/call/charged-call.ts';
import type { ChannelChoice, FinishedAttempts, HttpContext, RelayCall } from '#relay/types/call-types.ts';
import { refusalForFault } from '#relay/reply/fault-refusal.ts';
import type { RelayError } from '#relay/reply/relay-error.ts';

/** Whether a response in the background is made here: its provider keeps none, and this server does. */
export const isDetached = ({ state, json, request }: RelayCall, { operation }: ChannelChoice): boolean =>
  state?.kind === 'response' &&
  state.storeHours > 0 &&
  !request.stream &&
  objectOr(json)['background'] === true &&
  operation.dialect !== 'responses';

interface Detached {
  /** As the caller receives it now. */
  response: Json;
  /** Resolves when the call is settled. Never rejects. */
  ended: Promise<void>;
}

/**
 * Stores a response in progress and lets the call go on without its caller, who fetches the reply from the store. A call
 * that a stopped process leaves unfinished costs nothing, and its response fails.
 */
export async function detach(
  context: HttpContext,
  plan: CallPlan,
  hold: Hold,
  attempt: (context: HttpContext) => Promise<FinishedAttempts>,
): Promise<Detached> {
  const { shutdown } = context;
  const { call } = plan;
  const response = shellOf(call);
  const { deps } = context;
  const { state } = call;
  const now = deps.now();
  if (state) {
    const { owner, input, previousId, storeHours } = state;
    const stored = { response, input, previousId, node: deps.nodeId };
    await storeResponse(deps, owner, stored, { now, until: now + storeHours * 3600 });
  }
  call.detached = true;
  const ended = finish(context, plan, hold, attempt).finally(() => shutdown.background.delete(ended));
  shutdown.background.add(ended);
  return { response, ended };
}

/** Longer than any call: a response that is still in progress then is lost. */
const LOST_S = 3600;

/**
 * A stored response, as failed if its process has died. A process leaves the list of those that run once its calls were
 * released, so the credits are back by then. `reload`: reads the response again.
 */
export async function currentResponse(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { response, node = '' }: StoredResponse,
  reload: () => Promise<StoredResponse | undefined>,
): Promise<Json> {
  if (response['status'] !== 'in_progress') return response;
  if (Number(response['created_at']) + LOST_S < now()) return failed(response, undefined);
  if (node === '' || (await db.selectFrom('nodes').where('id', '=', node).select('id').executeTakeFirst()))
    return response;
  // A process that stopped in order has stored the end before it left.
  const { response: last = response } = (await reload()) ?? {};
  return last['status'] === 'in_progress' ? failed(last, undefined) : last;
}

/** The response without output; `chat` is set for every call of this dialect. */
const shellOf = ({ requestId, request, startedS, state }: RelayCall): Json =>
  responseShell(
    {
      request: request.chat!(),
      requestId,
      model: request.model,
      created: startedS,
      storedAs: { store: true, previous_response_id: state?.previousId || null },
    },
    { background: true },
  );

async function finish(
  context: HttpContext,
  plan: CallPlan,
  hold: Hold,
  attempt: (context: HttpContext) => Promise<FinishedAttempts>,
): Promise<void> {
  const { deps, requestId } = context;
  const { call } = plan;
  try {
    const finished = await attempt({ ...context, response: unread() });
    const { refusal } = finished.verdict;
    const reply = call.state?.reply;
    const ended = refusal || !reply ? failed(shellOf(call), refusal) : { ...reply, background: true };
    await store(context, call, { ...ended, id: responseId(call.requestId) });
    await settleCall(deps, call, finished, hold);
  } catch (error) {
    const refusal = refusalForFault(error);
    deps.log.error({ err: error, request: requestId }, 'a response in the background failed');
    await store(context, call, failed(shellOf(call), refusal)).catch(() => {}); // its time ends in any case
    await settleFault(deps, plan, hold, error);
  }
}

const failed = (shell: Json, refusal: RelayError | undefined): Json => ({
  ...shell,
  status: 'failed',
  error: {
    code: openAiCode(refusal?.code ?? 'server_error'),
    message: refusal?.message ?? 'The response was not completed.',
  },
});

async function store({ deps }: HttpContext, { state }: RelayCall, response: Json): Promise<void> {
  if (!state) return;
  const { owner, input, storeHours } = state;
  await endResponse(deps, owner, { response, input }, deps.now() + storeHours * 3600);
}

/** A response that no client reads: the caller may leave without ending the call. */
const unread = (): ServerResponse => new ServerResponse(new IncomingMessage(new Socket()));
