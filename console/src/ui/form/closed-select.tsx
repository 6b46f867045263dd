import { useRef, type KeyboardEvent } from 'react';
import { ChosenOption, triggerLook, type SelectOption, type SelectProps } from './select-option.tsx';

/** Time after which a typed letter starts a new word, as in Base UI. */
const wordMs = 750;

interface Props<V extends string | number> extends SelectProps<V> {
  /** The list is loading and opens when it is there. */
  opening: boolean;
  /** Called before a press, so that the list can load. */
  onReach: () => void;
  /** A click or an arrow key. */
  onOpen: (event: Event) => void;
}

/** A select before it is first opened: as Base UI draws it, without Base UI's code. */
export function ClosedSelect<V extends string | number>(props: Props<V>) {
  const { aria, value, options, onChange, placeholder, disabled, triggerRef, className } = props;
  const { opening, onReach, onOpen } = props;
  const chosen = options.findIndex((option) => option.value === value);
  const optionOfKey = useTypedOption(options, chosen);
  const open = (element: HTMLElement, event: Event) => {
    element.focus(); // Safari does not focus a button that is clicked
    onOpen(event);
  };
  return (
    <button
      {...aria}
      ref={triggerRef}
      type="button"
      role="combobox"
      aria-haspopup="listbox"
      aria-expanded={false}
      aria-busy={opening || undefined}
      disabled={disabled}
      onPointerEnter={onReach}
      onPointerDown={onReach}
      onFocus={onReach}
      onClick={(event) => open(event.currentTarget, event.nativeEvent)}
      onKeyDown={(event) => {
        if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
          event.preventDefault();
          open(event.currentTarget, event.nativeEvent);
        } else {
          const typed = optionOfKey(event);
          if (typed && typed.value !== value) onChange(typed.value);
        }
      }}
      className={triggerLook(className)}
    >
      <ChosenOption option={options[chosen]} placeholder={placeholder} />
    </button>
  );
}

/** Finds the next option that begins with the typed text; the same letter again goes on to the next one. */
function useTypedOption<V extends string | number>(options: readonly SelectOption<V>[], chosen: number) {
  const word = useRef({ text: '', at: 0, after: -1 });
  const next = (start: string, after: number): SelectOption<V> | undefined =>
    [...options.slice(after + 1), ...options.slice(0, after + 1)].find(
      ({ label, disabled }) => !disabled && label.toLowerCase().startsWith(start.toLowerCase()),
    );
  return (event: KeyboardEvent): SelectOption<V> | undefined => {
    const { key, timeStamp, ctrlKey, metaKey, altKey } = event;
    const { text, at, after } = word.current;
    const typing = text !== '' && timeStamp - at < wordMs;
    if (key.length !== 1 || ctrlKey || metaKey || altKey || (key === ' ' && !typing)) return undefined;
    // A space within a word does not press the button.
    if (key === ' ') event.preventDefault();
    const longer = typing ? next(text + key, after) : undefined;
    if (longer) word.current = { text: text + key, at: timeStamp, after };
    else if (typing && text !== key) word.current = { text: '', at: 0, after: -1 };
    else word.current = { text: key, at: timeStamp, after: chosen };
    return longer ?? (typing && text !== key ? undefined : next(key, chosen));
  };
}
