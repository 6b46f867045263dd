import { isObject } from '#json.ts';
import type { ChatRequest, ImagePart, Message, Part } from '#chat/chat.ts';

export interface Picture {
  mime: string;
  base64: string;
}

/** Undefined: the URL stays. */
type PictureLookup = (address: string) => Picture | undefined;

/** Whether a chat gives pictures by URL. */
export const hasUrlPictures = ({ messages }: ChatRequest): boolean =>
  messages.some(({ role, parts }) => role !== 'assistant' && parts.some(isAddressed));

const isAddressed = (part: Part): boolean =>
  part.type === 'image' ? 'url' in part.source : part.type === 'tool_result' && part.content.some(isAddressed);

/** Replaces picture URLs. Those in assistant messages stay, since vendors do not read them. */
export const chatWith = (chat: ChatRequest, instead: PictureLookup): ChatRequest => ({
  ...chat,
  messages: chat.messages.map((message) => (message.role === 'assistant' ? message : messageWith(message, instead))),
});

const messageWith = (message: Message, instead: PictureLookup): Message => ({
  ...message,
  parts: message.parts.map((part): Part => {
    if (part.type === 'image') return imageWith(part, instead);
    if (part.type !== 'tool_result') return part;
    return { ...part, content: part.content.map((one) => (one.type === 'image' ? imageWith(one, instead) : one)) };
  }),
});

function imageWith(part: ImagePart, instead: PictureLookup): ImagePart {
  const source = 'url' in part.source ? instead(part.source.url) : undefined;
  return source ? { ...part, source } : part;
}

/** Replaces picture URLs in Anthropic messages; everything else stays unchanged. */
export const blocksWith = (messages: unknown, instead: PictureLookup): unknown =>
  eachOf(messages, (message) => ({ ...message, content: contentWith(message['content'], instead) }));

const contentWith = (content: unknown, instead: PictureLookup): unknown =>
  eachOf(content, (block) => {
    const { type, source, content: inner } = block;
    if (type === 'tool_result')
      return Array.isArray(inner) ? { ...block, content: contentWith(inner, instead) } : block;
    if (type !== 'image' || !isObject(source) || source['type'] !== 'url') return block;
    const picture = instead(String(source['url']));
    if (!picture) return block;
    return { ...block, source: { type: 'base64', media_type: picture.mime, data: picture.base64 } };
  });

const eachOf = (list: unknown, change: (item: Record<string, unknown>) => unknown): unknown =>
  Array.isArray(list) ? list.map((item: unknown) => (isObject(item) ? change(item) : item)) : list;

/** Path of a text in a request, such as `messages.0.content.1.image_url.url`; undefined: not found. */
export function placeOf(text: string, json: unknown, path = ''): string | undefined {
  if (json === text) return path;
  if (typeof json !== 'object' || json === null) return undefined;
  for (const [key, value] of Object.entries(json)) {
    const place = placeOf(text, value, path === '' ? key : `${path}.${key}`);
    if (place !== undefined) return place;
  }
  return undefined;
}
