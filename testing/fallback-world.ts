import { EventEmitter } from 'node:events';
import { performance } from 'node:perf_hooks';
import type { Attempt } from '@relay-hub/contract';
import { ratesOf, role, tokenStatus, userStatus } from '@relay-hub/contract';
import type { Dispatcher } from 'undici';
import { vi } from 'vitest';
import type { Deps } from '#deps.ts';
import { ChannelHealth } from '#live/channel-health.ts';
import { ChannelSpeeds } from '#live/channel-speeds.ts';
import { HostHealth } from '#live/host-health.ts';
import { type LiveChannel, noTimeouts, RoutingTable } from '#live/routing-table.ts';
import type { DialectId } from '#chat/codec.ts';
import { provider as custom } from '#providers/adapters/custom.ts';
import type { Provider } from '#providers/provider.ts';
import type { Hold } from '#quota/book.ts';
import { runAttempts } from '#relay/call/attempts.ts';
import { SwapRemoveSet } from '#relay/types/swap-remove-set.ts';
import { readChat } from '#relay/dialects/caller-dialect.ts';
import type { Json } from '#json.ts';
import { planFirst } from '#relay/call/plan-attempt.ts';
import { RelayError } from '#relay/reply/relay-error.ts';
import type { HttpContext, RelayCall } from '#relay/types/call-types.ts';

/** An upstream's behaviour for a call. */
export type Reaction =
  | { kind: 'answer'; ms: number }
  | { kind: 'status'; status: number; ms: number; body?: object; headers?: Record<string, string> }
  /** Connection refused, or timed out. */
  | { kind: 'unreachable'; code: string; ms: number }
  /** A stream whose pieces come at once, and how it goes on. */
  | { kind: 'stream'; ms: number; pieces: readonly string[]; ends: 'wholly' | 'broken' | 'never' }
  /** The request is received and never answered. */
  | { kind: 'silence' };

/** A chat that is requested as a stream. */
export interface StreamedChat {
  dialect: DialectId;
  body: Json;
}

export interface WorldChannel {
  id: number;
  priority: number;
  host: string;
  /** Milliseconds; 0 for the engine's default. */
  firstTokenMs?: number;
  /** Left out: an OpenAI-compatible one. */
  provider?: Provider;
  react(nowMs: number, userId: number, path: string): Reaction;
}

export interface CallEnd {
  /** The caller's HTTP status. */
  status: number;
  attempts: readonly Attempt[];
  startMs: number;
  ms: number;
  /** Milliseconds to the first token; undefined: none came. */
  firstMs?: number | undefined;
  /** Bytes that the caller of a stream has received. */
  text: string;
}

const terms = { type: 'tokens', input: 1, output: 1 } as const;
const price = {
  ...terms,
  version: 1,
  model: 'm',
  channel_type: 0,
  extra_ratios: {},
  ratesFor: () => ratesOf(terms, 1),
};
const GROUP = {
  id: 1,
  symbol: 'default',
  name: '',
  ratio: 1,
  public: true,
  promotion: false,
  min: 0,
  max: 0,
  enable: true,
  token_limits: null,
  model_switch: null,
  limit_wait: null,
  channel_preference: null,
  api_rate: 0,
};
const body = Buffer.from('{"model":"m","messages":[{"role":"user","content":"hi"}]}');
const ANSWER = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

/** Random numbers in [0, 1), reproducible by seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * Channels at simulated hosts on a simulated clock: selection, health and attempts are real, only the network is not.
 */
export class FallbackWorld {
  readonly deps: Deps;
  readonly #channels: ReadonlyMap<string, WorldChannel>;
  readonly #ends: CallEnd[] = [];
  #open = 0;
  #sentTo = 0;

  constructor(channels: readonly WorldChannel[], settings: Partial<Record<string, number | string>> = {}) {
    this.#channels = new Map(channels.map((channel) => [`k${channel.id}`, channel]));
    const routes = new RoutingTable(channels.map((channel) => liveChannel(channel)));
    const nothing = () => {};
    const live = {
      health: new ChannelHealth(),
      keyHealth: new ChannelHealth(),
      keyAttempts: { note: nothing },
      hosts: new HostHealth(),
      // The channels of this world have no limits.
      limiter: { nothingFull: true },
      speeds: new ChannelSpeeds(),
      routes,
      prices: { find: () => price },
      settings: {
        RetryTimes: 2,
        RetryTimeOut: 10,
        RetryCooldownSeconds: 5,
        PreConsumedQuota: 500,
        ChannelPreference: 'weight',
        ...settings,
      },
    };
    // The dependencies of attempts.
    this.deps = {
      now: () => Math.floor(Date.now() / 1000),
      live,
      book: { extend: () => Promise.resolve(undefined) },
      typicalOutputs: { of: () => undefined },
      hour: { froze: nothing },
      meter: { attempted: nothing },
      autoSwitcher: { refused: nothing },
      log: { warn: nothing, debug: nothing },
      upstreams: { dispatch: this.#dispatch },
    } as unknown as Deps;
  }

  /** Number of requests sent or attempted. */
  get sent(): number {
    return this.#sentTo;
  }

  /** Starts a call, which progresses with `advance`; `query`: left out, a chat in one piece. */
  begin(userId: number, query?: StreamedChat): void {
    const startMs = Date.now();
    this.#open++;
    const end = (known: Omit<CallEnd, 'startMs' | 'ms'>) => {
      this.#open--;
      this.#ends.push({ ...known, startMs, ms: Date.now() - startMs });
    };
    void this.#call(userId, query).then(end, (error: unknown) =>
      end({ status: error instanceof RelayError ? error.status : 599, attempts: [], text: String(error) }),
    );
  }

  /** Advances the clock and runs everything due. */
  async advance(ms: number): Promise<void> {
    await vi.advanceTimersByTimeAsync(ms);
  }

  /** Waits for all calls; their results. */
  async ended(): Promise<readonly CallEnd[]> {
    for (let i = 0; this.#open > 0 && i < 2000; i++) await this.advance(500);
    if (this.#open > 0) throw new Error('calls are still open');
    return this.#ends.toSorted((a, b) => a.startMs - b.startMs);
  }

  async #call(userId: number, query?: StreamedChat): Promise<Omit<CallEnd, 'startMs' | 'ms'>> {
    const call: RelayCall = {
      requestId: 'r',
      startMs: performance.now(),
      startedS: 0,
      operation: 'chat',
      dialect: query?.dialect ?? 'openai',
      request: query
        ? readChat(query.dialect, query.body, { model: 'm', stream: true })
        : {
            model: 'm',
            stream: false,
            wantsUsage: false,
            inputTokens: 1,
            outputLimit: 1,
            usesTools: false,
            usesImages: false,
          },
      group: GROUP,
      pin: undefined,
      except: undefined,
      caller: {
        keyHash: '',
        keyUntil: undefined,
        tokenId: userId,
        tokenName: '',
        tokenStatus: tokenStatus.enabled,
        tokenGroup: '',
        expiredTime: -1,
        unlimited: true,
        userId,
        username: '',
        userStatus: userStatus.enabled,
        userRole: role.user,
        userGroup: 'default',
        limits: undefined,
        plans: undefined,
        memberId: 0,
        costCentre: '',
        responseStoreHours: null,
        enableCache: false,
        importPending: false,
        memberGone: false,
      },
      endpoint: '/v1/chat/completions',
      asList: false,
      sourceIp: '',
      reserved: 1_000_000,
      rate: { limit: 0, left: 0, waitMs: 0, resetMs: 0 } as unknown as RelayCall['rate'],
      pictures: undefined,
      body: query ? Buffer.from(JSON.stringify(query.body)) : body,
      json: query?.body,
      claim: undefined,
    };
    let text = '';
    const response = Object.assign(new EventEmitter(), {
      destroyed: false,
      headersSent: false,
      writableFinished: false,
      writableNeedDrain: false,
      cork() {},
      uncork() {},
      setHeader() {},
      removeHeader() {},
      writeHead() {
        response.headersSent = true;
      },
      write(bytes: Buffer) {
        text += bytes.toString();
        return true;
      },
    });
    const context = {
      deps: this.deps,
      response,
      shutdown: { isStopping: false, openExchanges: new SwapRemoveSet<never>(), drains: 0 },
    } as unknown as HttpContext;
    const first = planFirst(this.deps, call);
    const { verdict, attempts, firstMs } = await runAttempts(context, call, {} as Hold, first);
    text += verdict.tail?.toString() ?? '';
    return { status: verdict.refusal?.status ?? 200, attempts, firstMs, text };
  }

  readonly #dispatch: Deps['upstreams']['dispatch'] = (...sent) => {
    this.#answer(...sent);
    return () => false;
  };

  #answer(...[target, , { connectMs }, handler]: Parameters<Deps['upstreams']['dispatch']>): void {
    this.#sentTo++;
    const { authorization, 'x-api-key': ofAnthropic, 'x-goog-api-key': ofGemini, 'x-user': user = 0 } = target.headers;
    const key = ofAnthropic ?? ofGemini ?? String(authorization).replace('Bearer ', '');
    const reaction = this.#channels.get(key)!.react(Date.now(), Number(user), target.path);
    let over = false;
    const later = (ms: number, work: () => void) => void setTimeout(() => !over && work(), ms);
    const fail = (code: string) => {
      over = true;
      handler.onResponseError?.(controller, Object.assign(new Error(code), { code }));
    };
    const controller = {
      paused: false,
      pause() {},
      resume() {},
      abort: (error: Error) => later(0, () => fail((error as { code?: string }).code ?? 'ABORTED')),
    } as unknown as Dispatcher.DispatchController;
    if (reaction.kind === 'unreachable')
      return later(Math.min(reaction.ms, connectMs || 5_000), () => fail(reaction.code));
    handler.onRequestStart?.(controller, {});
    if (reaction.kind === 'silence') return;
    if (reaction.kind === 'stream')
      return later(reaction.ms, () => {
        handler.onResponseStart?.(controller, 200, { 'content-type': 'text/event-stream' }, '');
        for (const piece of reaction.pieces) handler.onResponseData?.(controller, Buffer.from(piece));
        if (reaction.ends === 'broken') fail('UND_ERR_SOCKET');
        if (reaction.ends !== 'wholly') return;
        over = true;
        handler.onResponseEnd?.(controller, {});
      });
    later(reaction.ms, () => {
      const isAnswer = reaction.kind === 'answer';
      const text = isAnswer ? ANSWER : JSON.stringify(reaction.body ?? { error: { message: 'no' } });
      const headers = { 'content-type': 'application/json', ...(isAnswer ? {} : reaction.headers) };
      handler.onResponseStart?.(controller, isAnswer ? 200 : reaction.status, headers, '');
      handler.onResponseData?.(controller, Buffer.from(text));
      over = true;
      handler.onResponseEnd?.(controller, {});
    });
  }
}

function liveChannel({ id, priority, host, firstTokenMs = 0, provider = custom }: WorldChannel): LiveChannel {
  const key = `k${id}`;
  const headers = provider.headers(key);
  return {
    id,
    name: `channel ${id}`,
    provider,
    baseUrl: `http://${host}`,
    key,
    headers,
    keys: [{ id, key, headers, proxy: '' }],
    models: ['m'],
    groups: ['default'],
    mapping: new Map(),
    priority,
    weight: 1,
    onlyChat: false,
    tag: '',
    other: '',
    plugin: {},
    proxy: '',
    preCost: 1,
    excluded: new Set(),
    passesRoutingFields: false,
    disabledStream: [],
    timeouts: { ...noTimeouts, firstTokenMs },
    onGone: { policy: 'drain' },
    unpriced: { tiers: undefined, tools: undefined },
    defaultTier: undefined,
    costRatio: undefined,
    staysBy: 'key',
    repliesCached: true,
    publicName: '',
    region: '',
    dataPolicy: '',
    quantization: '',
    cacheLifeMs: 60_000,
  };
}
