import { siteApi } from '@relay-hub/contract';
import { keptText } from '#api/kept-text.ts';

/** What the operator wrote about the site; empty where nothing was written. */
export const aboutQuery = keptText(siteApi.about, 'about');
