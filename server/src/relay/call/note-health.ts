import type { Deps } from '#deps.ts';
import { channelEvents } from '#live/channel-events.ts';
import type { Evidence } from '#live/trouble.ts';
import { isFaultOfChannel } from '#quota/attempt-kinds.ts';
import { type AttemptFault, concernsKey, requestedWaitMs } from '#relay/outcome/fault.ts';
import { limitsInHeaders } from '#relay/outcome/limit-headers.ts';
import { ANY_MODEL } from '#relay/select/channel-state.ts';
import { cacheLifeOf } from '#relay/select/conversation.ts';
import type { AttemptResult } from '#relay/types/attempt-result.ts';
import type { ChannelChoice, RelayCall, RouteQuery, Verdict } from '#relay/types/call-types.ts';

type HealthDeps = Pick<Deps, 'hour' | 'live' | 'log'>;

/** An attempt's result, its judgement, and the fault behind a failure. */
export interface JudgedAttempt {
  result: AttemptResult;
  verdict: Verdict;
  fault: AttemptFault | undefined;
}

/** Marks a resting channel as being probed, so that other calls wait for the result. */
export function noteProbe(
  { live }: Pick<HealthDeps, 'live'>,
  { caller }: RouteQuery,
  { channel, key, operation, upstreamModel }: ChannelChoice,
): void {
  const now = Date.now();
  live.health.probed(channel.id, upstreamModel, now, caller?.userId ?? 0);
  live.hosts.probed(live.hosts.routeOf(channel, key, operation), now);
}

/**
 * Updates the health of channel, key and host. A fault that a caller may have caused counts once per caller; one that
 * only the channel can have caused counts every time.
 */
export function noteOutcome(
  deps: HealthDeps,
  { caller }: RouteQuery,
  choice: ChannelChoice,
  { result, verdict, fault }: JudgedAttempt,
): void {
  const { live } = deps;
  const { channel, key, operation, upstreamModel } = choice;
  if (channel.limits?.learn && result.headers)
    live.limiter.learn(
      channel.limits,
      { channelId: channel.id, keyId: key.id, model: upstreamModel },
      limitsInHeaders(result.headers, channel.provider.id, Date.now()),
    );
  if (!live.hosts.untroubled && result.status > 0) live.hosts.succeeded(live.hosts.routeOf(channel, key, operation));
  const firstMs = result.firstByteMs ?? result.headMs;
  if (live.speeds.isWanted && verdict.outcome === 'answered' && firstMs !== undefined)
    live.speeds.note(channel.id, upstreamModel, { firstMs, ms: result.ms, tokens: verdict.usage.output });
  if (isSuccess(result, verdict)) return noteSuccess(deps, choice, caller?.userId ?? 0);
  if (fault && !result.clientGone && isFaultOfChannel(fault.cause))
    live.keyAttempts.note(channel.id, key.id, false, Date.now());
  if (!fault || fault.countsAgainst === 'never' || verdict.outcome !== 'failed') return;
  // The drain timeout is ours, not the channel's.
  if (result.clientGone && channel.timeouts.firstTokenMs === 0 && result.failure?.code === 'first_token_timeout')
    return;
  const now = Date.now();
  const cooldownMs = live.settings.RetryCooldownSeconds * 1000;
  if (fault.unreachableHost !== undefined && result.unreachableRoute) {
    live.hosts.learn(channel, key, operation, result.unreachableRoute);
    const closedMs = live.hosts.failed(fault.unreachableHost, cooldownMs, now, now - result.ms);
    if (closedMs > 0) channelEvents.hostClosed(deps.log, fault.unreachableHost, Math.ceil(closedMs / 1000));
    return;
  }
  const evidence: Evidence = {
    cause: fault.cause,
    unclear: fault.countsAgainst === 'once',
    caller: caller?.userId ?? 0,
    began: now - result.ms,
  };
  const waitMs = requestedWaitMs(result, verdict, now);
  // With other keys left, a refused key does not count against the channel.
  if (concernsKey(fault) && channel.keys.length > 1)
    return void live.keyHealth.failed(key.id, ANY_MODEL, { cooldownMs, retryAfterMs: waitMs, now, evidence });
  const closedMs = live.health.failed(channel.id, upstreamModel, { cooldownMs, retryAfterMs: waitMs, now, evidence });
  if (closedMs === 0) return;
  channelEvents.closed(deps.log, channel.id, upstreamModel, Math.ceil(closedMs / 1000));
  deps.hour.froze(channel.id, upstreamModel, fault.cause);
}

/** A complete answer, even if its caller left. A broken stream proves nothing. */
const isSuccess = ({ status }: AttemptResult, { outcome }: Verdict): boolean =>
  outcome === 'answered' || (outcome === 'client_gone' && status >= 200 && status < 300);

/** Records which channel and key hold the prompt cache of a conversation now. `moved`: an earlier attempt had failed. */
export function noteCachePlace(
  { live }: Pick<HealthDeps, 'live'>,
  call: RelayCall,
  { channel, key, affinity }: ChannelChoice,
  { result, verdict, moved }: { result: AttemptResult; verdict: Verdict; moved: boolean },
): void {
  const { conversation } = call;
  if (!conversation || channel.staysBy === 'off' || affinity === 'full' || !isSuccess(result, verdict)) return;
  const lifeMs = cacheLifeOf(call, channel, verdict.usage.cacheWrite1h > 0);
  const place = { channelId: channel.id, keyId: key.id };
  live.conversations.answered(conversation, place, { lifeMs, moved: moved || affinity === 'moved', nowMs: Date.now() });
}

/** Counts a success of the key and clears failures. */
export function noteSuccess(
  { live }: Pick<HealthDeps, 'live'>,
  { channel, key, upstreamModel }: ChannelChoice,
  caller: number,
): void {
  const now = Date.now();
  live.keyAttempts.note(channel.id, key.id, true, now);
  if (live.health.untroubled && live.keyHealth.untroubled) return;
  live.keyHealth.succeeded(key.id, ANY_MODEL, now, caller);
  live.health.succeeded(channel.id, upstreamModel, now, caller);
}
