import { render } from "preact";
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { App } from "./app";
import { read } from "./data";

const app = document.getElementById("app") as HTMLElement;
const data = document.getElementById("data") as HTMLElement;

async function open(): Promise<void> {
  if (typeof DecompressionStream === "undefined")
    throw new Error("this browser is too old for this report: it has no DecompressionStream (Chrome 80, Firefox 113, Safari 16.4)");
  const report = await read(data.textContent ?? "");
  data.remove();
  render(<App report={report} />, app);
}

open().catch((error: Error) => {
  app.textContent = `The report cannot be shown: ${error.message}`;
  app.setAttribute("role", "alert");
});
