import type { Json } from '#json.ts';
import { BadChatRequest } from '#chat/chat-errors.ts';
import type { ByteSource, ChatRequest, Message, Part } from '#chat/chat.ts';
import type { WireOptions } from '#chat/codec.ts';
import { refuseChoices } from '#chat/offered-tools.ts';
import { dataUrl } from '#chat/sources.ts';
import { targetOf } from '#providers/task-vendors/replicate-predictions.ts';

/** Writes a prediction. Throws `BadChatRequest`. Models ignore the parameters that their schema does not have. */
export function writeReplicateRequest(request: ChatRequest, { model }: WireOptions): Json {
  refuseChoices(request);
  if (request.toolChoice?.mode === 'required')
    throw new BadChatRequest('The model behind this name calls no tools.', 'tool_choice');
  const { messages, maxOutput, temperature, topP, topK, seed, stop, frequencyPenalty, presencePenalty } = request;
  const version = targetOf(model)?.version;
  const isInstruction = ({ role }: Message): boolean => role === 'system' || role === 'developer';
  const system = messages.filter(isInstruction).map(textOf).join('\n\n');
  const turns = messages.filter((message) => !isInstruction(message));
  return {
    ...(version !== undefined && { version }),
    input: {
      prompt: promptOf(turns),
      ...(system !== '' && { system_prompt: system }),
      ...imageOf(messages),
      ...(maxOutput !== undefined && { max_tokens: maxOutput }),
      ...(temperature !== undefined && { temperature }),
      ...(topP !== undefined && { top_p: topP }),
      ...(topK !== undefined && { top_k: topK }),
      ...(seed !== undefined && { seed }),
      ...(stop.length > 0 && { stop_sequences: stop.join(',') }),
      ...(frequencyPenalty !== undefined && { frequency_penalty: frequencyPenalty }),
      ...(presencePenalty !== undefined && { presence_penalty: presencePenalty }),
    },
  };
}

/** A single message is sent unchanged; a conversation names the speakers. */
function promptOf(turns: readonly Message[]): string {
  const [only] = turns;
  if (turns.length === 1 && only?.role === 'user') return textOf(only);
  const said = turns.map((message) => ({ speaker: speakerOf(message), text: textOf(message) }));
  return [
    ...said.filter(({ text }) => text !== '').map(({ speaker, text }) => `${speaker}: ${text}`),
    'Assistant:',
  ].join('\n\n');
}

const speakerOf = ({ role }: Message): string =>
  role === 'assistant' ? 'Assistant' : role === 'tool' ? 'Tool' : 'User';

const textOf = ({ parts }: Message): string => parts.flatMap(textIn).join('\n');

function textIn(part: Part): string[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text === '' ? [] : [part.text];
    case 'tool_result':
      return part.content.flatMap(textIn);
    case 'tool_call':
      return [`${part.name}(${part.arguments})`];
    case 'thinking':
    case 'image':
      return [];
    case 'audio':
    case 'file':
      throw new BadChatRequest('The model behind this name takes text and one picture.', 'messages');
  }
}

/** Most models that see take one picture, as `image`. */
function imageOf(messages: readonly Message[]): { image?: string } {
  const images = messages.flatMap(({ parts }) => parts.flatMap(imagesIn));
  if (images.length > 1) throw new BadChatRequest('The model behind this name takes one picture.', 'messages');
  const [image] = images;
  if (!image) return {};
  if ('fileId' in image) throw new BadChatRequest('Pictures are taken by address or as data.', 'messages');
  return { image: 'url' in image ? image.url : dataUrl(image) };
}

const imagesIn = (part: Part): ByteSource[] =>
  part.type === 'image' ? [part.source] : part.type === 'tool_result' ? part.content.flatMap(imagesIn) : [];
