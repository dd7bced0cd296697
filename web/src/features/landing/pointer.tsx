/** The pointer of a mouse, over the lower right corner of the button that contains it. */
export function Pointer({ className }: { className: string | undefined }) {
  return (
    <svg className={className} width="22" height="22" viewBox="0 0 22 22">
      <path d="M3 2.5v15.2l4.2-3.9 2.5 5.8 3-1.3-2.5-5.7h5.6z" />
    </svg>
  );
}
