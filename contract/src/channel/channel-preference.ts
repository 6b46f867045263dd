import * as z from 'zod/mini';

/** Preferences of the site, or of a user group, among channels of one priority. */
export const channelPreferences = ['weight', 'latency', 'cost'] as const;
export const channelPreference = z.enum(channelPreferences);
export type ChannelPreference = (typeof channelPreferences)[number];
