import type { Texts } from '../texts.ts';

export const texts: Texts['served'] = {
  title: 'What was served',
  text: 'As the provider states it in its replies. A count opens the last of its calls.',
  calls: 'calls: {{calls}}',
  none: 'No answered calls in this time.',
  asAsked: 'As requested',
  alike: 'The reply names {{model}}',
  other: 'The reply names another model: {{model}}',
  tier: 'Tier requested: {{asked}}, served: {{served}}',
  usage: {
    none: 'No usage in the reply, so it was estimated',
    unusual: 'Usage far from what was visible',
    implausible: 'Usage beyond what is possible',
  },
  fingerprint: 'Fingerprint {{fingerprint}}, first seen',
};
