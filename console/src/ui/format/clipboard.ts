import { i18n } from '#i18n/t.ts';
import { toast } from '#ui/feedback/toast.ts';

/**
 * Copies text to the clipboard and confirms it; if the browser refuses, shows the text for copying by hand.
 * `text` may be a promise: Safari grants clipboard access only inside the click handler. Resolves to success.
 */
export async function copyText(text: string | Promise<string>, name?: string): Promise<boolean> {
  const t = i18n.translator('shared');
  const known = await write(text).then(
    () => undefined,
    () => Promise.resolve(text),
  );
  if (known === undefined) toast.success(name === undefined ? t('copied') : t('copiedNamed', { name }));
  else toast.manualCopy(t('copyFailed'), known);
  return known === undefined;
}

async function write(text: string | Promise<string>): Promise<void> {
  if (typeof text === 'string') return navigator.clipboard.writeText(text);
  if (typeof ClipboardItem !== 'undefined') {
    const blob = text.then((value) => new Blob([value], { type: 'text/plain' }));
    return navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })]);
  }
  return navigator.clipboard.writeText(await text);
}
