import { performance } from 'node:perf_hooks';
import {
  type Attempt,
  type AttemptCost,
  creditsFor,
  type EventCounts,
  feeEvents,
  inputTokens,
  type LogMetadata,
  noUsage,
  planScope,
  type PriceFee,
  type PriceRule,
  rulesFor,
  shareOf,
  type Served,
  type ServiceMode,
  tokensFromCache,
  type Usage,
  usageRow,
} from '@relay-hub/contract';
import type { CountShare } from '#quota/batch-items.ts';
import type { BookedPrice, PriceBook } from '#live/price-book.ts';
import type { Settlement } from '#quota/book.ts';
import { countedIn } from '#quota/limit-use.ts';
import { eventsServed, type ServedReport } from '#usage/served.ts';
import { hasPromptLength } from '#relay/select/fit-options.ts';
import { costOf } from './attempt-cost.ts';
import { chargeOthers, separated } from './other-models.ts';
import { CONTENT_FILTER } from '#relay/outcome/content-filter.ts';
import type { FinishedCall, FittedOptions, RelayCall } from '#relay/types/call-types.ts';

/** The charge of a finished call, and its log row. */
export function settlementOf(
  call: RelayCall,
  finished: FinishedCall,
  { now, counts, prices }: { now: number; counts?: readonly CountShare[] | undefined; prices: Pick<PriceBook, 'find'> },
): Settlement {
  const ended = separated(finished, prices);
  const { choice, verdict } = ended;
  const { usage, outcome } = verdict;
  const counted = usageRow(outcome === 'failed' ? noUsage : usage, choice.price.extra_ratios);
  const charge = chargeOf(call, ended, prices);
  finished.cost = charge.cost;
  const failed = outcome === 'failed' || outcome === 'broken';
  return {
    requestId: call.requestId,
    // Without any attempt no channel is to blame.
    channelId: ended.attempts.length === 0 ? 0 : choice.channel.id,
    credits: charge.credits,
    now,
    failed,
    // A blocked prompt does not count against the channel.
    channelError: failed && verdict.code !== CONTENT_FILTER ? (verdict.message ?? verdict.code) : '',
    earlierErrors: ended.attempts.length > 1 ? earlierErrors(ended.attempts) : undefined,
    task: ended.task,
    log: {
      content: ended.content ?? '',
      username: call.caller.username,
      tokenName: call.caller.tokenName,
      model: choice.billedModel,
      promptTokens: counted.prompt_tokens,
      completionTokens: counted.completion_tokens,
      cachedTokens: tokensFromCache(usage),
      requestTimeMs: Math.round(performance.now() - call.startMs),
      isStream: call.request.stream,
      sourceIp: call.sourceIp,
      metadata: JSON.stringify(metadataOf(call, ended, counted.metadata, { charge, counts })),
    },
  };
}

const noModes: readonly ServiceMode[] = [];
const noRules: readonly PriceRule[] = [];
const noFees: readonly PriceFee[] = [];

interface Charge {
  credits: number;
  /** Members of the log row that explain it. */
  shown: Pick<LogMetadata, 'rules' | 'fees' | 'events' | 'served' | 'unpriced' | 'models' | 'reply_cache'>;
  /** Of the attempt that answered; left out: unknown. */
  cost?: AttemptCost | undefined;
}

/** The charge of a call; of a cached reply, a part of its price. */
export function chargeOf(call: RelayCall, ended: FinishedCall, prices: Pick<PriceBook, 'find'>): Charge {
  const whole = priceOf(call, separated(ended, prices), prices);
  const { cached } = ended;
  if (!cached) return whole;
  const shown = { ...whole.shown, reply_cache: cached };
  return { credits: shareOf(whole.credits, cached.percent), shown };
}

/**
 * Credits of what was served under a price, for a group's ratio, and the rules of the price that hold. What-if reports
 * price past calls with it.
 */
export function chargeServed(
  price: Pick<BookedPrice, 'rules' | 'ratesFor'>,
  groupRatio: number,
  { usage, events, served }: { usage: Usage; events: EventCounts; served: Served },
): { credits: number; rules: readonly PriceRule[] } {
  const { rules: all = noRules } = price;
  const rules = all.length === 0 ? noRules : rulesFor(all, served);
  return { credits: creditsFor(price.ratesFor(groupRatio, rules), usage, events), rules };
}

/** Prices by the mode that the upstream reports, or else by the requested one. */
function priceOf(
  call: RelayCall,
  { choice, verdict, attempts }: FinishedCall,
  prices: Pick<PriceBook, 'find'>,
): Charge {
  const { price, options } = choice;
  const { served: report } = verdict;
  const { rules: all = noRules, fees = noFees } = price;
  const modes = report?.modes ?? options?.modes ?? noModes;
  const region = report?.region ?? options?.region;
  const special = modes.length === 0 ? noModes : modes.filter((mode) => mode !== 'standard');
  const seen: NonNullable<LogMetadata['served']> = {};
  if (special.length > 0) seen.modes = [...special];
  if (region !== undefined) seen.region = region;
  const asked = options?.modes.filter((mode) => mode !== 'standard') ?? noModes;
  if (report?.modes && asked.join() !== special.join()) seen.asked = [...asked];
  if (report?.model !== undefined && report.model !== choice.upstreamModel) seen.model = report.model;
  if (report?.fingerprint !== undefined) seen.fingerprint = report.fingerprint;
  const shown: Charge['shown'] = {};
  for (const _ in seen) shown.served = seen;
  if (options && options.unpriced.length > 0) shown.unpriced = options.unpriced;
  if (verdict.outcome === 'failed') return { credits: 0, shown };
  const at = call.startedS + Math.floor((attempts.at(-1)?.start ?? 0) / 1000);
  let ofOthers = 0;
  if (report?.others || (options && options.others.length > 0)) {
    const served = { modes, region, at };
    const ordered = options?.others ?? [];
    const charged = chargeOthers({ ordered, report, groupRatio: call.group.ratio, price, prices, served });
    ofOthers = charged.credits;
    if (charged.models.length > 0) shown.models = charged.models;
  }
  const longest = report?.promptTokens ?? inputTokens(verdict.usage);
  const served: Served = {
    modes,
    region,
    promptTokens: hasPromptLength(call.operation) ? longest : 0,
    reasoning: verdict.usage.reasoning > 0,
    at,
  };
  const events = eventsOf(report, options);
  const { credits, rules } = chargeServed(price, call.group.ratio, { usage: verdict.usage, events, served });
  for (const { event, fee } of fees) {
    const count = events[event] ?? 0;
    if (count > 0) (shown.fees ??= []).push({ event, count, fee });
  }
  if (events !== callAlone) keepUnpriced(shown, events);
  if (rules.length > 0) shown.rules = [...rules];
  if (all.length > 0) {
    seen.at = at;
    if (report?.promptTokens) seen.prompt_tokens = longest;
    shown.served = seen;
  }
  return {
    credits: credits + ofOthers,
    shown,
    cost: costOf(choice, verdict, shown, { served, events }),
  };
}

/** Events without a fee, of which a later price may have one. */
function keepUnpriced(shown: Charge['shown'], events: EventCounts): void {
  for (const event of feeEvents) {
    const count = events[event] ?? 0;
    if (count > 0 && event !== 'request' && !shown.fees?.some((fee) => fee.event === event))
      (shown.events ??= {})[event] = count;
  }
}

const callAlone: EventCounts = Object.freeze({ code_session: 0, request: 1 });

/** The events of a call, of which the call itself is one. */
function eventsOf(report: ServedReport | undefined, options: FittedOptions | undefined): EventCounts {
  if (!report && !options?.events.code_session) return callAlone;
  const served = eventsServed(report);
  // Work in a container that the request names starts none.
  const sessions = options?.events.code_session ? (served.code_session ?? 0) * options.sessionUnits : 0;
  return { ...served, code_session: sessions, request: 1 };
}

const earlierErrors = (attempts: readonly Attempt[]): [number, string][] =>
  attempts.slice(0, -1).map(({ channel_id, message, result }) => [channel_id, message ?? result]);

function metadataOf(
  call: RelayCall,
  { choice, verdict, attempts, firstMs, task }: FinishedCall,
  tokens: LogMetadata,
  { charge: { cost, shown }, counts }: { charge: Charge; counts: readonly CountShare[] | undefined },
): LogMetadata {
  const { group, request } = call;
  const { price, billedModel, upstreamModel } = choice;
  const metadata: LogMetadata = {
    group_name: group.symbol,
    price_type: price.type,
    group_ratio: group.ratio,
    input_ratio: price.input,
    output_ratio: price.output,
    ...tokens,
    outcome: verdict.outcome,
    price_version: price.version,
    usage_source: verdict.usageSource,
    reserved: call.reserved,
    endpoint: call.endpoint,
  };
  if (counts && counts.length > 0) {
    metadata.limits = countedIn(counts);
    // The charge writes what each has paid.
    const plans = call.caller.plans?.filter(({ id }) => counts.some(({ scope }) => scope === planScope(id)));
    if (plans && plans.length > 0) metadata.plans = plans.map(({ id, name }) => ({ id, name, credits: 0 }));
  }
  Object.assign(metadata, shown);
  if (verdict.doubt) {
    metadata.usage_mark = verdict.doubt.mark;
    metadata.usage_findings = verdict.doubt.findings;
  }
  // Old consoles divide by the time after it, which a reply in one piece does not have.
  if (firstMs !== undefined && request.stream) metadata.first_response = firstMs;
  const { requestedName: named = request.model } = request;
  if (named !== billedModel) metadata.requested_model = named;
  if (call.chain) {
    const { name, version, steps, at: step } = call.chain;
    metadata.virtual = { name, version, step: steps[step]?.number ?? 0 };
  }
  if (call.wishes) metadata.wishes = call.wishes;
  const { provider } = call.caller.limits ?? {};
  if (provider) metadata.provider_limits = provider;
  if (call.shadowOf) {
    const { name, version, requestId: copyOf } = call.shadowOf;
    metadata.virtual = { name, version, step: 0, copy_of: copyOf };
  }
  if (upstreamModel !== billedModel) metadata.upstream_model = upstreamModel;
  if (verdict.endedBy !== undefined) metadata.ended_by = verdict.endedBy;
  if (call.keepsContent) metadata.content = true;
  if (call.guard && call.guard.marks.length > 0) metadata.guard = call.guard.marks;
  if (call.spans?.isSampled) metadata.trace_id = call.spans.traceId;
  if (verdict.finishReason !== undefined) metadata.finish_reason = verdict.finishReason;
  if (verdict.refusal) {
    metadata.status = verdict.refusal.status;
    metadata.error = verdict.refusal.code;
  }
  const last = attempts.at(-1);
  metadata.attempts = cost && last ? [...attempts.slice(0, -1), { ...last, cost }] : attempts;
  if (task) metadata.task_id = task.taskId;
  return metadata;
}
