import { anyKey } from '../form.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';
import type { Provider } from '../provider.ts';
import { sunoTasks } from '#providers/task-vendors/suno-api.ts';

/** A self-hosted Suno API server, which also chats. */
export const provider: Provider = {
  ...openAiCompatible({
    id: 'suno',
    type: 41,
    title: 'Suno',
    form: { address: 'required', key: anyKey },
  }),
  tasks: sunoTasks,
};
