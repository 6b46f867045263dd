import { siteApi } from '@relay-hub/contract';
import { keptText } from '#api/kept-text.ts';

/** The operator's text about the site; empty if there is none. */
export const aboutQuery = keptText(siteApi.about, 'about');
