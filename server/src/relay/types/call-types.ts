import type { IncomingMessage, ServerResponse } from 'node:http';
import type {
  Attempt,
  EventCounts,
  FaultCause,
  GuardMark,
  LogMetadata,
  AttemptCost,
  ProviderWishes,
  Rates,
  ServiceMode,
  StepFailure,
  Usage,
  UsageFinding,
  UsageMark,
  UserGroup,
  VirtualModel,
} from '@relay-hub/contract';
import type { ChatReply } from '#chat/chat.ts';
import type { DialectId } from '#chat/codec.ts';
import type { Steering } from '#chat/steering.ts';
import type { Deps } from '#deps.ts';
import type { Guard, LiveGuardRule } from '#guard/guard.ts';
import type { BodyClaim } from '#http/limits/body-memory.ts';
import type { Rate } from '#http/limits/minute-rates.ts';
import type { VendorRefusal } from '#live/auto-switch.ts';
import type { Caller } from '#live/callers.ts';
import type { CacheConversation } from '#live/conversations.ts';
import type { FullLimit, LimitRoom } from '#live/limit-uses.ts';
import type { BookedPrice } from '#live/price-book.ts';
import type { LiveChannel, LiveKey } from '#live/routing-table.ts';
import type { ProviderCall, Operation } from '#providers/operation.ts';
import type { SubmittedTask } from '#quota/submitted-task.ts';
import type { ParsedRequest } from './parsed-request.ts';
import type { Form } from '#relay/forms/form.ts';
import type { StoredBody } from '#relay/forms/spool.ts';
import type { CallPictures, MissingPictures } from '#relay/pictures/call-pictures.ts';
import type { RelayError } from '#relay/reply/relay-error.ts';
import type { CallState, StatePlace } from './call-state.ts';
import type { DroppedFields } from '#relay/body/routing-fields.ts';
import type { StreamRecord } from './stream-record.ts';
import type { StreamFormat } from './stream-types.ts';
import type { AttemptResult } from './attempt-result.ts';
import type { BilledOption } from '#usage/billed-options.ts';
import type { ServedReport } from '#usage/served.ts';
import type { ShutdownState } from './shutdown-state.ts';
import type { Trace } from './trace.ts';

/** Context of a request from its first byte to its settlement. */
export interface CallContext {
  readonly deps: Deps;
  readonly request: IncomingMessage;
  readonly requestId: string;
  readonly trace: Trace;
  /** The caller of a playground request, identified by the session. Undefined: the request's API key decides. */
  signedIn?: Caller;
}

/** The context of a request that is answered over HTTP; a realtime session has no response. */
export interface HttpContext extends CallContext {
  readonly response: ServerResponse;
  readonly shutdown: ShutdownState;
}

/** The caller, the group whose channels and ratio apply, and the channels named in the API key. */
export interface AuthenticatedCaller {
  caller: Caller;
  /** The client's address. */
  sourceIp: string;
  group: UserGroup;
  /** Administrators only: use this channel and no other, or any channel but that one. */
  pin: number | undefined;
  except: number | undefined;
  /** The channel for pass-through routes. */
  rawPin: number | undefined;
}

/** An operation of a provider. */
export type OperationName =
  | 'chat'
  /** Compaction of a conversation in OpenAI's Responses. */
  | 'compact'
  | 'completions'
  | 'embeddings'
  | 'moderations'
  | 'rerank'
  | 'speech'
  | 'transcriptions'
  | 'translations'
  | 'realtime'
  | 'raw'
  | 'tasks'
  | `images.${'generations' | 'edits' | 'variations' | 'tools'}`;

/** The requested operation, in the caller's dialect. */
export interface CallRequest {
  operation: OperationName;
  dialect: DialectId;
  request: ParsedRequest;
}

/** Another model that may work for a call: an adviser, or the model behind a tool that makes images. */
export interface OtherModel {
  /** Its name in the request. */
  name: string;
  price: BookedPrice;
  /** Most answers or images, and most tokens of each. */
  uses: number;
  output: number;
  /** Tokens of an image of which none are reported; left out: it makes no images. */
  perImage?: number;
}

/** Options that a request orders besides the tokens of its model, for one channel. */
export interface FittedOptions {
  /** Tiers and speeds that may serve the call; standard always may. */
  modes: ServiceMode[];
  /** Where the call is served; undefined: globally. */
  region: string | undefined;
  /** Events with a fee that are reserved for. */
  events: EventCounts;
  /** Units that each container is charged as. */
  sessionUnits: number;
  /** Other models that may work for the call, each billed as itself. */
  others: OtherModel[];
  /** Credits reserved for them. */
  otherCredits: number;
  /** Fields without a price, whether sent or removed. */
  unpriced: string[];
  /** Fields that are removed from the request. */
  removed: string[];
  /** Options for which the call is refused, unless the channel's rules remove them. */
  refused: BilledOption[];
  /** Top-level members to set in the request; undefined values remove. Undefined: it stays as it is. */
  changes: Record<string, unknown> | undefined;
}

/** Input of channel selection. */
export interface RouteQuery extends CallRequest, Pick<AuthenticatedCaller, 'group' | 'pin' | 'except'> {
  /** Left out for questions that no user asks. */
  caller?: Pick<Caller, 'userId' | 'limits'>;
  /** The only channel and key that know what the request refers to; left out: any. */
  place?: StatePlace | undefined;
  /** Wishes of the caller about providers; left out: none. */
  wishes?: ProviderWishes | undefined;
  /** Its conversation, kept at one place for its prompt cache; left out: no other channel or key could serve it. */
  conversation?: CacheConversation | undefined;
}

/** The reservation of a call. docs/reservations.md has the rules. */
export interface CallReservation {
  /** Credits reserved before the call. */
  credits: number;
  /** Output tokens that they cover, over all choices; undefined: the price does not depend on them. */
  output: number | undefined;
  /** The reservation grows with the stream, up to this number of output tokens; undefined: it does not grow. */
  growsTo: number | undefined;
}

/** A step of a virtual model that a call may use. */
export interface ChainStep {
  /** From 1, among all steps of the virtual model. */
  number: number;
  model: string;
  nextOn: readonly StepFailure[];
}

/** The way of a call through the steps of a virtual model. */
export interface CallChain {
  /** Of the virtual model. */
  name: string;
  version: number;
  steps: readonly ChainStep[];
  /** Copies for comparison, and the account that they are recorded for; left out: none. */
  shadow?: (NonNullable<VirtualModel['shadow']> & { userId: number }) | undefined;
  /** Index of the step that is tried. */
  at: number;
  /** The caller's request for the model of a step. */
  requestFor(parsed: ParsedRequest, model: string): ParsedRequest;
}

/** Guardrails of a call. */
export interface CallGuard {
  /** Those that read its answer. */
  answers: readonly LiveGuardRule[];
  /** Findings in its request, and at its end in its answer. */
  marks: GuardMark[];
  /** Of the latest attempt's answer; left out: it was not read. */
  answer?: Guard;
  /** Its stream, which waits for the services of rules; left out: it does not. */
  held?: { finish(check: (texts: readonly string[]) => Promise<readonly string[]>): Promise<Buffer> };
  /** Asks the services of rules about texts. */
  ask(guard: Guard, at: GuardMark['at'], texts: readonly string[]): Promise<readonly string[]>;
}

/** A call that has passed authentication and the rate limit; each attempt at a channel reads it. */
export interface RelayCall extends RouteQuery {
  caller: Caller;
  requestId: string;
  endpoint: string;
  sourceIp: string;
  startMs: number;
  /** Unix seconds. */
  startedS: number;
  /** The caller's body without its routing fields; empty for pass-through and realtime. */
  body: Buffer;
  /** The parsed body; undefined: a form. */
  json: unknown;
  /** The stream is sent as one JSON list: Gemini without `alt=sse`. */
  asList: boolean;
  /** The caller's path, in dialects whose path names version and action. */
  callerPath?: string | undefined;
  /** Headers of the caller that a vendor with the same dialect may receive. */
  callerHeaders?: ProviderCall['callerHeaders'];
  /** Credits; grows when a dearer channel is tried, or with a stream or session. */
  reserved: number;
  /** Output tokens with which a growing reservation begins, because the balance is low; left out: a usual answer. */
  startOutput?: number;
  /** How they were computed; left out: not reserved yet. */
  reservation?: CallReservation;
  /** Memory accounting of the bodies; undefined: none are held. */
  claim: BodyClaim | undefined;
  rate: Rate;
  /** Created when a channel needs the bytes of pictures given by URL. */
  pictures: CallPictures | undefined;
  /** Reads a changed body as the caller's; left out: the kind of call has no rules. */
  parse?: ((body: { json: unknown } | { form: Form }) => ParsedRequest) | undefined;
  /** The caller's request, while rules of the planned channel have changed it; see `effectiveRequest`. */
  unchanged?: Pick<RelayCall, 'request' | 'json' | 'body' | 'dropped'> | undefined;
  /** Routing fields removed from the body; undefined: none. */
  dropped?: DroppedFields | undefined;
  /** A header of the response names dropped fields; another channel may receive them. */
  namesDropped?: boolean;
  /** The caller has the queued response, and fetches the reply later. */
  detached?: true;
  /** Guardrails for its caller; left out: none. */
  guard?: CallGuard;
  /** Copies a stream for the reply cache or the content log; left out: for neither. */
  record?: StreamRecord;
  /** Request and reply are kept in the content log. */
  keepsContent?: true;
  /** Taken of the limits of the channel that is tried; left out: nothing. */
  room?: LimitRoom | undefined;
  /** References of the request, and whether its reply is kept; undefined: neither. */
  state?: CallState | undefined;
  /** It is a copy for comparison of a call; left out: it is not. */
  shadowOf?: { name: string; version: number; requestId: string };
  /** The trace that it is exported in; left out: nothing is exported. */
  spans?: ReturnType<NonNullable<Deps['telemetry']>['contextOf']> | undefined;
  /** It names a virtual model; left out: a model. */
  chain?: CallChain | undefined;
}

/** Operation and models that a channel offers for a call. */
export interface ChannelOffer {
  channel: LiveChannel;
  operation: Operation;
  upstreamModel: string;
  billedModel: string;
  /** Reasoning effort from the model's name; undefined: none given. */
  steering?: Steering | undefined;
}

/** An offer with its price and key, ready to be tried. */
export interface ChannelChoice extends ChannelOffer {
  price: BookedPrice;
  key: LiveKey;
  /** The highest rates that the call may be charged by; it reserves by them. */
  rates: Rates;
  /** Left out: it orders nothing besides tokens, and the price has no rules. */
  options?: FittedOptions | undefined;
  /** Units of a price per second that a task is charged; left out: 1. */
  units?: number;
  /** Length of the video that a task orders, where the vendor's adapter names one. */
  seconds?: number | undefined;
  /** Usage that a batch is charged when it is submitted; left out: `units`. */
  ordered?: Usage;
  /** Effect of the conversation's prompt cache on the choice; left out: none. */
  affinity?: Attempt['affinity'];
  /** The preference of the site that it was drawn by; left out: its weight alone, or a wish. */
  preferred?: Attempt['preferred'];
  /** The channel is resting and this attempt tests whether it has recovered. */
  probe?: boolean;
}

/** Channels, keys and hosts that a call has tried; the next choice excludes them. */
export interface TriedChannels {
  channels: Set<number>;
  /** Refused keys; another key of the same channel may work. */
  keys: Set<number>;
  /** Hosts that refused connections. */
  unreachableHosts: Set<string>;
  /** Hosts that timed out or failed: other channels there may fail too. */
  failedHosts: Set<string>;
  /** Lowest priority among the failed channels; undefined: none failed. */
  lowestPriority: number | undefined;
  /** The next attempt is the last: stable channels first, whatever their priority. */
  isLastAttempt: boolean;
  /** No attempts left except for a stable channel. */
  onlyStable: boolean;
  /** Limits without room for this call, which may have some for a smaller one. */
  full: Map<string, FullLimit>;
}

/** How a response is read, and converted for the caller. */
export interface ResponseReader {
  /** How a stream is read; undefined: none was requested. */
  stream: StreamFormat | undefined;
  /** Content type of the caller's stream where it differs from the upstream's. */
  streamType: string | undefined;
  /** Reads a JSON reply; undefined: it has OpenAI's form. */
  reply: ((json: unknown) => ConvertedReply) | undefined;
  /** Reads replies that are neither chats nor OpenAI's plain JSON. Throws `BadReply`. */
  content?: (result: AttemptResult) => MediaReply;
  /** Clients expect the vendor's failure within the stream, even before any content. */
  failsInStream?: true;
  /** The event that ends a broken stream; undefined: the connection is closed instead. */
  streamError(error: RelayError): string | undefined;
}

/** The request for one channel, and how its response is read. */
export interface UpstreamRequest extends ResponseReader {
  body: Buffer;
  /** Left out: JSON. */
  contentType?: string | undefined;
  /** Sent instead of `body`, which would be too large for memory. */
  storedBody?: StoredBody;
  /** Bodies of further requests, where the vendor accepts less per request than the caller sent. */
  moreBodies?: readonly Buffer[];
  /** Pictures to fetch first; the request is then built again. */
  missingPictures?: MissingPictures | undefined;
  /** The upstream also receives the routing fields of the body. */
  passesRoutingFields?: true;
  /** Applies the channel's rules for headers; left out: none. */
  changeHeaders?: (headers: Record<string, string>) => void;
  /** Fields of the caller's body that the conversion drops; left out: none. */
  unread?: readonly string[] | undefined;
}

/** A body with its content type, as the caller receives it. */
export interface ReplyBody {
  body: Buffer;
  contentType: string;
}

export interface ConvertedReply {
  reply: ChatReply;
  /** Undefined: the caller receives the upstream's own bytes. */
  converted: ReplyBody | undefined;
}

/** A reply with images, audio, a transcript or embeddings. */
export interface MediaReply {
  /** Undefined: not reported. */
  usage: Usage | undefined;
  /** Usage to charge when none is reported; undefined: as assumed before the call. */
  assumed?: Usage;
  /** Number of images; left out for other replies. */
  images?: number;
  /** Transcript, by which the call is charged when no usage is reported. */
  text?: string;
  /** Left out: the caller receives the upstream's own bytes. */
  converted?: ReplyBody;
}

/** A channel and the request prepared for it. */
export interface PlannedAttempt {
  choice: ChannelChoice;
  outgoing: UpstreamRequest;
}

/** Facts about a call that the judgement of its attempt needs. */
export interface VerdictInput extends PlannedAttempt, Pick<CallRequest, 'request' | 'operation'> {
  /** The parsed body; undefined: a form. */
  json: unknown;
}

/** The cause of a refusal. `unclear`: the caller may have caused it. */
export interface RefusalCause {
  cause: FaultCause;
  unclear: boolean;
}

/** An upstream's error, with secrets masked, as operators see it. */
export interface MaskedRefusal extends VendorRefusal, RefusalCause {
  retryAfterMs: number | undefined;
}

/** The judgement of one attempt: what the caller receives and what is charged. */
export interface Verdict {
  /** `client_gone`: the caller left, whether or not the upstream was read to its end. */
  outcome: 'answered' | 'client_gone' | 'broken' | 'failed';
  usage: Usage;
  usageSource: 'upstream' | 'estimate';
  /** Part of an estimated usage was reported by the upstream. */
  partlyReported?: boolean;
  /** Reply text to be tokenized, because its usage was not reported. */
  uncountedText?: string | undefined;
  /** The reply has OpenAI's form without a usage that is charged; the estimate is added for its readers. */
  lacksUsage?: true;
  /** How the upstream says that it served the call; left out: it says nothing. */
  served?: ServedReport | undefined;
  /** What the upstream reported of a failed attempt, which its provider bills; left out: nothing. */
  spent?: Pick<Verdict, 'usage' | 'served'> | undefined;
  /** Number of images; left out for other operations. */
  images?: number | undefined;
  /** The account or budget that ended the stream early; left out: none did. */
  endedBy?: string;
  /** Why the reported usage was doubted; `usage` is what is charged. */
  doubt?: { mark: UsageMark; findings: UsageFinding[] };
  finishReason: string | undefined;
  /** `result` of the attempt in the log row: `ok` or an error code. */
  code: string;
  /** The upstream's error text, masked. */
  message: string | undefined;
  upstreamRefusal?: MaskedRefusal;
  /** Sent to the caller as the reply, or as the last event of a stream that has begun. */
  refusal?: RelayError;
  /** The part of a broken stream that was passed on ends in the middle of an event. */
  endsMidEvent?: boolean;
  reply?: ReplyBody & { status: number };
  /** Held back from a stream without content, and sent before its error; left out: the error is the reply. */
  begun?: Buffer;
  /** The last bytes of a stream, held back until the charge is recorded. */
  tail?: Buffer | undefined;
}

/** How a call ended, at the channel that answered or failed last. */
export interface FinishedCall {
  choice: ChannelChoice;
  verdict: Verdict;
  attempts: Attempt[];
  /** Milliseconds from the start of the call to the first byte; undefined: no response came. */
  firstMs: number | undefined;
  /** The charge of the call, once it is settled and known. */
  credits?: number | undefined;
  /** Cost of the attempt that answered, once it is settled; undefined: unknown. */
  cost?: AttemptCost | undefined;
  /** `content` of the log row; left out: empty. */
  content?: string;
  /** The reply came from the reply cache; left out: from an upstream. */
  cached?: LogMetadata['reply_cache'];
  /** The task that was accepted; its row is written with the charge. */
  task?: SubmittedTask | undefined;
}

/** The same with the request that was sent last. */
export interface FinishedAttempts extends FinishedCall, PlannedAttempt {}
