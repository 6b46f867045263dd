import type { DialectId } from '#chat/codec.ts';
import { splitModel, type Steering, steeringOf } from '#chat/steering.ts';
import type { LiveChannel } from '#live/routing-table.ts';
import type { About, Operation } from '#providers/operation.ts';
import type { Provider } from '#providers/provider.ts';
import { operationFor } from '#providers/target.ts';
import type { CallRequest, ChannelOffer, OperationName } from '#relay/types/call-types.ts';
import type { ParsedRequest } from '#relay/types/parsed-request.ts';
import { aboutOf } from '#relay/upstream/address.ts';
import { isUnsupported } from './responses-fallback.ts';

/** Undefined: the channel's provider does not support the operation. */
export function offerOf(
  { operation: name, dialect, request }: CallRequest,
  channel: LiveChannel,
): ChannelOffer | undefined {
  const declared = declaredOperation(channel.provider, name, request);
  if (!declared) return undefined;
  const { upstream, billed, steering = request.steering } = namesAt(channel, request.model);
  const serving =
    declared.also || declared.serves
      ? servingOperation(declared, channel, aboutOf(channel, upstream, request.model), dialect)
      : declared;
  // A request in the channel's own format is sent unchanged, also with tools that no other format has.
  const operation = serving && serving.dialect !== dialect ? forServers(serving, declared, channel, request) : serving;
  if (!operation || (operation.dialect !== dialect && !canConvert(operation, name, request))) return undefined;
  return { channel, operation, upstreamModel: upstream, billedModel: billed, steering };
}

function servingOperation(
  declared: Operation,
  channel: LiveChannel,
  about: About,
  dialect: DialectId,
): Operation | undefined {
  const found = operationFor(declared, about, dialect);
  if (!found || !isUnsupported(channel, found, about.model)) return found;
  return otherThan(declared, found, (one) => one.serves?.(about) ?? true) ?? found;
}

/** Of OpenAI's two APIs, only Responses calls MCP servers. Compatible vendors may have it by name only. */
function forServers(
  found: Operation,
  declared: Operation,
  channel: LiveChannel,
  { chat, model }: ParsedRequest,
): Operation {
  if (found.dialect !== 'openai' || !channel.provider.background || !chat?.().mcpServers) return found;
  return otherThan(declared, found, (one) => !isUnsupported(channel, one, model)) ?? found;
}

/** The alternative of an operation: Chat for Responses, or the reverse; undefined: there is none. */
export function otherThan(
  declared: Operation,
  { dialect }: Operation,
  serves: (one: Operation) => boolean,
): Operation | undefined {
  const wanted = dialect === 'responses' ? 'openai' : 'responses';
  return [declared, ...(declared.also ?? [])].find((one) => one.dialect === wanted && serves(one));
}

function declaredOperation(provider: Provider, name: OperationName, { task }: ParsedRequest): Operation | undefined {
  switch (name) {
    case 'images.generations':
      return provider.images?.generations;
    case 'images.edits':
      return provider.images?.edits;
    case 'images.variations':
      return provider.images?.variations;
    case 'images.tools':
      return provider.images?.tools;
    case 'tasks':
      return task && provider.tasks?.platforms.includes(task.order.platform) ? provider.tasks : undefined;
    default:
      return provider[name];
  }
}

/**
 * Chats can be converted for any provider; requests with an OpenAI form, for providers with OpenAI's dialect; others
 * need an adapter's `convert`. Of forms, only those of transcriptions and translations are converted.
 */
const canConvert = (
  { convert, dialect }: Operation,
  name: OperationName,
  { stream, form, toOpenAi: inOpenAi }: ParsedRequest,
): boolean =>
  name === 'chat' ||
  (inOpenAi !== undefined && dialect === 'openai') ||
  (convert !== undefined && !stream && (form === undefined || name === 'transcriptions' || name === 'translations'));

/** A model's names at a channel, and the reasoning effort in the mapped name. */
interface ModelNames {
  upstream: string;
  billed: string;
  steering?: Steering | undefined;
}

/**
 * A model's names by the channel's mapping. A leading `+` bills the requested name. A `#` sets the reasoning effort and
 * wins over the caller's.
 */
export function namesAt({ mapping }: LiveChannel, model: string): ModelNames {
  const target = mapping.get(model);
  if (target === undefined) return { upstream: model, billed: model };
  const billsRequested = target.startsWith('+');
  const whole = billsRequested ? target.slice(1) : target;
  const { upstream, steering } = steeredName(whole);
  return { upstream, billed: billsRequested ? model : upstream, steering };
}

/** Splits a mapped name. An unknown suffix after `#` is part of the name. */
export function steeredName(whole: string): Pick<ModelNames, 'upstream' | 'steering'> {
  if (!whole.includes('#')) return { upstream: whole };
  const { model, behind } = splitModel(whole);
  const steering = steeringOf(behind);
  return steering === undefined ? { upstream: whole } : { upstream: model, steering };
}

/** Whether the upstream's model name differs from the requested one. */
export const isOtherModel = (
  { model, requestedName: named = model, modelOmitted: modelLeftOut }: ParsedRequest,
  upstream: string,
): boolean => upstream !== named || modelLeftOut === true;
