import { i18n } from '#i18n/t.ts';
import { toast } from '#ui/feedback/toast.ts';

/**
 * Copies text to the clipboard and confirms it; if the browser refuses, shows the text for copying by hand.
 * `text` may be a promise: Safari grants clipboard access only inside the click handler. Resolves to success.
 */
export async function copyText(text: string | Promise<string>, name?: string): Promise<boolean> {
  const t = i18n.translator('shared');
  const isCopied =
    (await write(text).then(
      () => true,
      () => false,
    )) || copySelected(await text);
  if (isCopied) toast.success(name === undefined ? t('copied') : t('copiedNamed', { name }));
  else toast.manualCopy(t('copyFailed'), await text);
  return isCopied;
}

/** Rejects on plain HTTP, where browsers have no clipboard API. */
async function write(text: string | Promise<string>): Promise<void> {
  if (typeof text === 'string') return navigator.clipboard.writeText(text);
  if (typeof ClipboardItem !== 'undefined') {
    const blob = text.then((value) => new Blob([value], { type: 'text/plain' }));
    return navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })]);
  }
  return navigator.clipboard.writeText(await text);
}

/** Copies as the menu of the browser does: by a selection, which keeps the focus where it is. */
function copySelected(text: string): boolean {
  const shown = document.createElement('span');
  shown.textContent = text;
  shown.ariaHidden = 'true';
  shown.style.cssText = 'position:fixed;top:0;clip-path:inset(50%);white-space:pre;user-select:text';
  document.body.append(shown);
  const selection = document.getSelection();
  const before = selection?.rangeCount ? selection.getRangeAt(0) : undefined;
  const range = document.createRange();
  range.selectNodeContents(shown);
  selection?.removeAllRanges();
  selection?.addRange(range);
  // The exact text, whatever the browser makes of the selection.
  const put = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
  };
  document.addEventListener('copy', put, { capture: true, once: true });
  try {
    // oxlint-disable-next-line no-deprecated -- the only way without the clipboard API
    return document.execCommand('copy');
  } finally {
    document.removeEventListener('copy', put, { capture: true });
    selection?.removeAllRanges();
    if (before) selection?.addRange(before);
    shown.remove();
  }
}
