import { anyKey } from '../form.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';

/** A Suno-API server of the operator's own, which chats too. */
export const provider = openAiCompatible({
  id: 'suno',
  type: 41,
  title: 'Suno',
  form: { address: 'required', key: anyKey },
});
