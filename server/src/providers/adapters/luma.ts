import type { Provider } from '../provider.ts';
import { bearer } from '../target.ts';
import { lumaAgents } from '#providers/task-vendors/luma-agents.ts';
import { lumaDreamMachine, lumaHost } from '#providers/task-vendors/luma-dream-machine.ts';
import { errorsWith } from '../upstream-errors.ts';

/** ray-2 uses the older API, which has a separate host. */
export const provider: Provider = {
  id: 'luma',
  type: 102,
  title: 'Luma',
  baseUrl: lumaHost,
  testModel: '',
  website: 'https://lumalabs.ai/api/keys',
  headers: bearer,
  tasks: { ...lumaAgents, also: [lumaDreamMachine] },
  error: errorsWith({ budget_exhausted: 402 }),
};
