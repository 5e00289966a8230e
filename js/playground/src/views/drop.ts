/** Accepts files that the user drops anywhere on the page. */
import { byId } from "../dom.js";

/** Calls `take` with the files that the user drops. */
export function setUpDrop(take: (files: readonly File[]) => void): void {
  const curtain = byId("drop", HTMLElement);
  let depth = 0;
  const isFile = (event: DragEvent) => event.dataTransfer?.types.includes("Files") === true;
  const lift = () => {
    depth = 0;
    curtain.hidden = true;
  };
  addEventListener("dragenter", (event) => {
    if (!isFile(event)) return;
    depth += 1;
    curtain.hidden = false;
  });
  addEventListener("dragleave", () => {
    depth -= 1;
    if (depth <= 0) lift();
  });
  addEventListener("dragover", (event) => {
    if (isFile(event)) event.preventDefault();
  });
  // In the capture phase, because the editors would insert the file as text.
  addEventListener("drop", (event) => dropped(event, isFile(event), lift, take), { capture: true });
}

function dropped(event: DragEvent, isFile: boolean, lift: () => void, take: (files: readonly File[]) => void): void {
  lift();
  if (!isFile) return;
  event.preventDefault();
  event.stopPropagation();
  take([...(event.dataTransfer?.files ?? [])]);
}
