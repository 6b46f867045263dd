import { siteApi } from '@relay-hub/contract';
import { cachedText } from '#api/cached-text.ts';

/** The operator's text about the site; empty if there is none. */
export const aboutQuery = cachedText(siteApi.about, 'about');
