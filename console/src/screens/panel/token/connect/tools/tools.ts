import { buildTools, chatTools } from './chat-tools.ts';
import { codeTools } from './code-tools.ts';
import { codingTools } from './coding-tools.ts';
import type { Tool, ToolGroup } from './tool.ts';

export const tools: readonly Tool[] = [...codingTools, ...chatTools, ...buildTools, ...codeTools];

export const toolGroups: readonly ToolGroup[] = ['coding', 'chat', 'build', 'code'];

/** The tool with this id, or the first. */
export const toolOf = (id: string): Tool => {
  const [first] = tools;
  const tool = tools.find((each) => each.id === id) ?? first;
  if (!tool) throw new Error('there are no tools');
  return tool;
};
