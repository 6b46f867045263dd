import { baseAddress, chatLinkProblem, languageCodes } from '@relay-hub/contract';
import * as z from 'zod/mini';
import { cleanOperatorText } from '#http/clean-html.ts';
import { builtInChatLinks } from './long-defaults.ts';
import { filled, json, line, pictureAddress, plain, setting, webAddress } from './setting.ts';

const chatLinks = z
  .array(
    z
      .object({
        /** Of the rows of old consoles. */
        id: z.optional(z.union([z.number(), z.string().check(z.maxLength(60))])),
        name: z.string().check(z.trim(), z.minLength(1, { error: 'chat.name' }), z.maxLength(60)),
        url: z.string().check(z.trim(), z.maxLength(2000)),
        show: z.boolean(),
        sort: z.number(),
        /** May be shown in a frame of the console; the page's policy allows its origin. */
        embed: z.optional(z.boolean()),
      })
      .check(({ value, issues }) => {
        const problem = chatLinkProblem(value.embed ? { url: value.url, embed: true } : { url: value.url });
        if (problem) issues.push({ code: 'custom', message: `chat.${problem}`, input: value });
      }),
  )
  .check(z.maxLength(100));

/** HTML by the operator for visitors, cleaned so that no script in it runs. */
const operatorText = (max: number) => plain(max).check(z.overwrite(cleanOperatorText), z.maxLength(max));

export const siteSettings = {
  SystemName: setting('Relay Hub', line(60).check(filled)),
  Logo: setting('', pictureAddress),
  /** Icon of the browser's tab. */
  Favicon: setting('', pictureAddress),
  Footer: setting('', operatorText(20_000)),
  Notice: setting('', operatorText(100_000)),
  /** Markdown, HTML or a URL. `HomePageContent` likewise. */
  About: setting('', operatorText(150_000)),
  HomePageContent: setting('', operatorText(150_000)),
  Language: setting('zh_CN', z.enum(languageCodes)),
  /** Replaces the URL of the first built-in chat client. */
  ChatLink: setting('', webAddress),
  ChatLinks: setting(JSON.stringify(builtInChatLinks), json(chatLinks)),
  /** Where to check for new versions; empty: no check. */
  UpdateSource: setting('', baseAddress),
};
