import { performance } from 'node:perf_hooks';
import { newRequestId } from '#relay/reply/request-id.ts';
import type { Live } from '#live/live.ts';
import { playgroundCaller } from '#live/playground-token.ts';
import { isHold } from '#quota/book.ts';
import { runAttempts } from '#relay/call/attempts.ts';
import { settleCall, settleFault } from '#relay/call/charged-call.ts';
import { planFirst } from '#relay/call/plan-attempt.ts';
import { RelayError } from '#relay/reply/relay-error.ts';
import { SubstituteResponse } from '#relay/reply/substitute.ts';
import type { CallChain, HttpContext, RelayCall } from '#relay/types/call-types.ts';

/** Larger bodies are not copied: a copy keeps its body in memory after the call has ended. */
const MOST_BYTES = 1024 * 1024;

/** Copies in progress, by virtual model. */
const running = new WeakMap<Live, Map<string, number>>();

/**
 * Sends a copy of some calls of a virtual model to its shadow model. The reply is discarded; the row is on the record of
 * the account that saved the virtual model and charges nothing, and its attempts have their cost.
 */
export function sendShadow(context: HttpContext, call: RelayCall): void {
  const { chain } = call;
  if (!chain?.shadow || call.json === undefined || call.state || call.body.length > MOST_BYTES) return;
  const { deps, shutdown } = context;
  const { percent, at_once: atOnce } = chain.shadow;
  if (shutdown.isStopping || Math.random() * 100 >= percent) return;
  const counts = running.get(deps.live) ?? new Map<string, number>();
  running.set(deps.live, counts);
  const count = counts.get(chain.name) ?? 0;
  if (count >= atOnce) return;
  counts.set(chain.name, count + 1);
  const copy = copyOf(call, chain, chain.shadow);
  const ended = runShadow(context, copy, chain.shadow.userId)
    .catch((error: unknown) => {
      // A copy that no channel takes is not sent; no client waits for it.
      if (!(error instanceof RelayError))
        deps.log.error({ err: error, request: copy.requestId }, 'a shadow call failed');
    })
    .finally(() => {
      counts.set(chain.name, (counts.get(chain.name) ?? 1) - 1);
      shutdown.background.delete(ended);
    });
  shutdown.background.add(ended);
}

/** The copy, which shares nothing that the call changes or frees. */
function copyOf(call: RelayCall, chain: CallChain, { model }: NonNullable<CallChain['shadow']>): RelayCall {
  const { chain: _, record: __, guard: ___, ...bare } = { ...call, ...call.unchanged };
  return {
    ...bare,
    unchanged: undefined,
    requestId: newRequestId(),
    request: chain.requestFor(bare.request, model),
    // The row charges nothing; the cost of an attempt does not depend on the ratio.
    group: { ...call.group, ratio: 0 },
    startMs: performance.now(),
    reserved: 0,
    claim: undefined,
    pictures: undefined,
    conversation: undefined,
    room: undefined,
    shadowOf: { name: chain.name, version: chain.version, requestId: call.requestId },
  };
}

async function runShadow(context: HttpContext, copy: RelayCall, userId: number): Promise<void> {
  const { deps } = context;
  const owner = await playgroundCaller(deps, { id: userId });
  if (!owner) return;
  const call: RelayCall = { ...copy, caller: { ...owner, limits: undefined, unlimited: true } };
  const plan = planFirst(deps, call);
  const { caller, requestId } = call;
  const hold = await deps.book.reserve({
    requestId,
    userId: caller.userId,
    tokenId: caller.tokenId,
    limited: false,
    reserved: 0,
    priceVersion: plan.choice.price.version,
    model: plan.choice.billedModel,
    limits: undefined,
  });
  if (!isHold(hold)) return;
  const response = new Discarded().asResponse();
  try {
    const finished = await runAttempts({ ...context, requestId, response }, call, hold, plan);
    await settleCall(deps, call, finished, hold);
  } catch (error) {
    await settleFault(deps, { call, choice: plan.choice }, hold, error);
  }
}

/** A response that no client reads. */
class Discarded extends SubstituteResponse {
  protected begin(): void {}

  override _write(_chunk: unknown, _encoding: BufferEncoding, done: () => void): void {
    done();
  }
}
