import type { Token } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { Confirm } from '#ui/overlay/confirm.tsx';

interface Props {
  tokens: readonly Token[];
  remove: (tokens: readonly Token[]) => Promise<unknown>;
  onDone?: (() => void) | undefined;
  onClose: () => void;
}

/** Number of tokens from which the count must be typed to confirm. */
const many = 5;

/** Confirms the permanent removal of tokens. */
export function RemoveTokens({ tokens, remove, onDone, onClose }: Props) {
  const { t } = useTranslation('token');
  const count = tokens.length;
  const one = count === 1;
  const confirm = () => {
    onDone?.();
    const done = remove(tokens);
    // Removing several takes a while and shows its progress in a toast.
    return one ? done : void done;
  };
  return (
    <Confirm
      title={t(one ? 'removeTitle' : 'removeTitleMany', { count, name: tokens[0]?.name })}
      text={t(one ? 'removeText' : 'removeTextMany')}
      action={t(one ? 'removeAction' : 'removeActionMany', { count })}
      typeCount={count >= many ? count : undefined}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}
