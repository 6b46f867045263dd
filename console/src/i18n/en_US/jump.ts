import type { Texts } from '../texts.ts';

export const texts: Texts['jump'] = {
  opening: 'Opening {{name}}…',
  hint: 'If nothing happens, press the button. {{name}} must be installed on this device.',
  open: 'Open {{name}}',
  invalid: 'This link is not valid',
  cause: 'Only links to chat clients can be opened from here.',
  home: 'Home page',
};
