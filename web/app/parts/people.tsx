import { nameOf } from "../data/people.js";

interface Props {
  legend: string;
  /** None while they are being asked for. */
  people: { id: string; name: string; email: string }[] | undefined;
  /** What is said where there is nobody. */
  none?: string;
  ticked: string[];
  tick: (ids: string[]) => void;
}

/** People to tick. */
export function Tick({ legend, people, none, ticked, tick }: Props) {
  if (people?.length === 0 && none !== undefined) return <p class="quiet">{none}</p>;
  return (
    <fieldset>
      <legend>{legend}</legend>
      {people?.map((one) => (
        <label key={one.id} class="check">
          <input type="checkbox" checked={ticked.includes(one.id)} onChange={() => tick(ticked.includes(one.id) ? ticked.filter((id) => id !== one.id) : [...ticked, one.id])} />
          <span dir="auto">{nameOf(one)}</span>
        </label>
      ))}
    </fieldset>
  );
}
