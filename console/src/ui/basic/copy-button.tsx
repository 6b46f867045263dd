import { Check, Copy } from 'lucide-react';
import { useEffect, useRef, useState, type Ref } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button, IconButton, type ButtonSize, type ButtonVariant } from './button.tsx';
import { copyText } from '#ui/format/clipboard.ts';

interface Props {
  /** The text, or a function that fetches it on click. */
  text: string | (() => Promise<string>);
  /** Names the text in the accessible name and the toast: "address", "key of prod-agent". */
  name?: string | undefined;
  /** Text of the button; without it, an icon button. */
  children?: string | undefined;
  variant?: ButtonVariant | undefined;
  size?: ButtonSize | undefined;
  className?: string | undefined;
  ref?: Ref<HTMLButtonElement> | undefined;
}

/** Copies on click; the icon becomes a tick for 1.5 s. */
export function CopyButton({ text, name, children, variant, size = 'sm', className, ref }: Props) {
  const { t } = useTranslation('shared');
  const [state, setState] = useState<'idle' | 'busy' | 'done'>('idle');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    setState('busy');
    try {
      const done = await copyText(typeof text === 'string' ? text : text(), name);
      setState(done ? 'done' : 'idle');
      timer.current = setTimeout(() => setState('idle'), 1500);
    } catch {
      // The failed request shows its own error.
      setState('idle');
    }
  };
  const icon = state === 'done' ? Check : Copy;
  const press = { ref, icon, size, busy: state === 'busy', className, onClick: () => void copy() };
  if (children !== undefined)
    return (
      <Button {...press} variant={variant} saves={false}>
        {children}
      </Button>
    );
  return (
    <IconButton
      {...press}
      label={name === undefined ? t('copy') : t('copyNamed', { name })}
      iconSize={size === 'sm' ? 14 : 16}
    />
  );
}
