import type { ChatRequest, Tool, WebSearch } from './chat.ts';
import { BadChatRequest } from './chat-errors.ts';
import type { Wire } from './codec.ts';
import type { Fields } from './fields.ts';
import { customToolSchema } from './tool-calls.ts';

export interface OfferedTools {
  tools: Tool[];
  mode: 'auto' | 'none' | 'required' | undefined;
  /** The one tool that must be called. */
  only: string | undefined;
}

/**
 * The tools to send. Few vendors support a choice among some tools, so the others are omitted. Custom tools become
 * functions with one string.
 */
export function offeredTools({ tools, toolChoice }: ChatRequest): OfferedTools {
  const names = toolChoice?.names;
  const functions = tools.map((tool) => (tool.custom ? { ...tool, schema: customToolSchema } : tool));
  const only = toolChoice?.mode === 'required' && names?.length === 1 ? names[0] : undefined;
  const offered = names && !only ? functions.filter(({ name }) => names.includes(name)) : functions;
  return { tools: offered, mode: toolChoice?.mode, only };
}

/** A place as OpenAI and Anthropic write it. */
export const readPlace = (place: Fields | undefined): WebSearch => ({
  country: place?.text('country'),
  region: place?.text('region'),
  city: place?.text('city'),
  timezone: place?.text('timezone'),
});

/** The caller's names of tools of vendors that search the web. */
export const isSearch = (type: string): boolean => /^web_search|^google_?search/i.test(type);

/**
 * Members of the caller's request that the wire has no place for. Throws for a tool of a vendor that must be called and
 * is none of this vendor's: the answer would be another one than was asked for.
 */
export function lostIn(
  request: ChatRequest,
  wire: Pick<Wire, 'searches' | 'forcesSearch' | 'speaks' | 'mcp'>,
  model: string,
): string[] {
  const { webSearch, webSearchField, toolChoice, sound, mcpServers = [], unread = [] } = request;
  const searches = webSearch !== undefined && wire.searches?.(request, model) === true;
  const { hosted } = toolChoice ?? {};
  if (hosted !== undefined && !(isSearch(hosted) && searches && wire.forcesSearch))
    throw new BadChatRequest(`The model behind this name has no tool '${hosted}' that can be demanded.`, 'tool_choice');
  const lost = new Set(unread);
  if (webSearchField !== undefined && !searches) lost.add(webSearchField);
  if (sound && !wire.speaks) lost.add(sound.field);
  if (!wire.mcp) for (const { field } of mcpServers) lost.add(field);
  return [...lost];
}

/** Multiple answers cannot be converted. */
export function refuseChoices({ choices }: ChatRequest): void {
  if (choices !== undefined && choices > 1)
    throw new BadChatRequest('The model behind this name gives one answer to a request.', 'n');
}
