import type { Texts } from '../texts.ts';

export const texts: Texts['about'] = {
  title: 'About',
  what: '{{name}} puts the interfaces of many AI providers behind one that speaks as OpenAI’s does: one address and one token reach every model, and what each call cost can be added up.',
  how: 'An administrator can replace this page in the settings: Markdown, HTML or a web address.',
  versionTitle: 'Version',
  startedTitle: 'Running since',
  sourceTitle: 'Source code',
  failed: 'The about page could not be loaded.',
};
