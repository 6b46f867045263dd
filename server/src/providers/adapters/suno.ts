import { anyKey } from '../form.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';

/** A self-hosted Suno API server, which also chats. */
export const provider = openAiCompatible({
  id: 'suno',
  type: 41,
  title: 'Suno',
  form: { address: 'required', key: anyKey },
});
