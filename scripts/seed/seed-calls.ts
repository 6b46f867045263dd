import type { AttemptCost, LogMetadata, Usage } from '@relay-hub/contract';
import { costsOf, creditsFor, exactCredits, logType, noUsage, usageRow } from '@relay-hub/contract';
import { logRow, type LogTableRow } from '../../testing/log-rows.ts';
import type { Chance } from './chance.ts';
import type { SeedCaller, SeedChannel, SeedWorld } from './seed-world.ts';

/** A log row as the relay writes it; `quota` has the charge. */
export function callAt(world: SeedWorld, chance: Chance, at: number): LogTableRow {
  const caller = chance.pickBusy(world.callers);
  const channel = chance.pickBusy(world.channels);
  const model = chance.pickBusy(channel.models);
  const failed = chance.next() < (channel.id % 11 === 0 ? 0.06 : 0.003);
  const embedding = model.name.startsWith('text-embedding');
  const usage = failed ? noUsage : usageOf(chance, embedding);
  const totalMs = chance.between(300, 20_000);
  const firstMs = Math.floor(totalMs * (0.05 + chance.next() * 0.3));
  const quota = failed ? 0 : creditsFor(model.price.ratesFor(1), usage);
  const { metadata: kept, ...tokens } = usageRow(usage, model.price.extra_ratios);
  const metadata: LogMetadata = {
    group_name: 'default',
    price_type: model.price.type,
    group_ratio: 1,
    input_ratio: model.price.input,
    output_ratio: model.price.output,
    ...kept,
    first_response: firstMs,
    outcome: failed ? 'failed' : chance.next() < 0.01 ? 'client_gone' : 'answered',
    price_version: model.price.version,
    usage_source: 'upstream',
    reserved: quota + chance.between(0, 20_000),
    endpoint: embedding ? '/v1/embeddings' : '/v1/chat/completions',
    ...(failed ? { status: 503, error: 'upstream_status' } : { finish_reason: 'stop' }),
    attempts: attemptsOf(chance, world, channel, {
      failed,
      totalMs,
      firstMs,
      cost: channel.costRatio === null ? undefined : exactCredits(model.price.ratesFor(channel.costRatio), usage),
    }),
  };
  return {
    ...rowOf(caller, chance, at, logType.consume),
    model_name: model.name,
    quota,
    ...tokens,
    cached_tokens: usage.cached,
    channel_id: channel.id,
    request_time: totalMs,
    is_stream: !embedding && chance.next() < 0.7,
    source_ip: `203.0.${caller.userId % 250}.${chance.between(2, 12)}`,
    failed,
    cost: costsOf({ metadata })?.total ?? null,
    metadata: JSON.stringify(metadata),
  };
}

/** A row that is not a call: a top-up, or an action of an administrator or the system. */
export function noteAt(
  caller: SeedCaller,
  chance: Chance,
  { at, type, content }: { at: number; type: number; content: string },
): LogTableRow {
  return { ...rowOf(caller, chance, at, type), token_id: 0, token_name: '', content };
}

function rowOf(caller: SeedCaller, chance: Chance, at: number, type: number): LogTableRow {
  const stamp = new Date(at * 1000).toISOString().replace(/\D/g, '').slice(0, 14);
  return logRow({
    request_id: `${stamp}${String(chance.between(0, 1_000_000_000)).padStart(9, '0')}${chance.text(8)}`,
    user_id: caller.userId,
    created_at: at,
    type,
    username: caller.username,
    token_id: caller.tokenId,
    token_name: caller.tokenName,
    model_name: '',
    quota: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    channel_id: 0,
    request_time: 0,
    source_ip: '',
  });
}

function usageOf(chance: Chance, embedding: boolean): Usage {
  const prompt = chance.between(200, 9000);
  const cached = !embedding && chance.next() < 0.4 ? Math.floor(prompt * chance.next() * 0.8) : 0;
  return { ...noUsage, input: prompt - cached, cached, output: embedding ? 0 : chance.between(40, 1600) };
}

function attemptsOf(
  chance: Chance,
  world: SeedWorld,
  channel: SeedChannel,
  { failed, totalMs, firstMs, cost }: { failed: boolean; totalMs: number; firstMs: number; cost: string | undefined },
): NonNullable<LogMetadata['attempts']> {
  // A weak channel whose calls always fail over: the calls succeed, its attempts fail.
  const weak = chance.next() < 0.006 ? world.channels.at(-1) : undefined;
  const before = failed ? chance.pick(world.channels) : weak === channel ? undefined : weak;
  const refused = (by: SeedChannel, start: number, ms: number) => ({
    channel_id: by.id,
    channel_name: by.name,
    status: 503,
    start,
    ms,
    first_byte: ms,
    result: 'upstream_status',
    cost: { credits: '0', by: 'refused' } satisfies AttemptCost,
    message: '503 The engine is currently overloaded, please try again later',
  });
  const start = before ? 2 + Math.floor(firstMs / 2) : 2;
  const last = failed
    ? refused(channel, start, totalMs - start)
    : {
        channel_id: channel.id,
        channel_name: channel.name,
        status: 200,
        start,
        ms: totalMs - start,
        first_byte: firstMs - start,
        result: 'ok',
        ...(cost !== undefined && { cost: { credits: cost, by: 'multiple' as const } }),
      };
  return before ? [refused(before, 2, start - 2), last] : [last];
}
