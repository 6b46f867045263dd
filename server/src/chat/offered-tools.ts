import type { ChatRequest, Tool } from './chat.ts';
import { BadChatRequest } from './chat-errors.ts';
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

/** Multiple answers cannot be converted. */
export function refuseChoices({ choices }: ChatRequest): void {
  if (choices !== undefined && choices > 1)
    throw new BadChatRequest('The model behind this name gives one answer to a request.', 'n');
}
